"""`watari gemm`: what it says before, while and after a product of files is made."""

from __future__ import annotations

from pathlib import Path

from watari import gemm_case, gemm_files, gemm_forecast
from watari.errors import UnsupportedError, UsageError
from watari.gemm_files import Product, Work
from watari.progress import Share, suited_share
from watari.view import duration


class Told:
    """Prints the forecast, then how far the product is."""

    def __init__(self) -> None:
        self.share: Share | None = None
        self.tiles = self.flops = 0

    def start(self, work: Work, finished: int) -> None:
        p = work.parameters
        of = gemm_forecast.forecast(p, work.plan, gemm_forecast.file_rate(Path(work.largest)))
        shapes = f"{p['m']} x {p['n']} = ({p['m']} x {p['k']}) ({p['k']} x {p['n']})"
        print(f"{work.output}: {shapes}, {work.dtype}", end="")
        print(f", by {p['engine']} on the {p['processor']}, tiles of {p['tile']}")
        whole = "in all: " if finished else ""
        print(f"{whole}{of.bytes_text()}; {of.time_text()}", flush=True)
        if finished:
            print(f"{finished} of {work.tiles} tiles are finished already", flush=True)
        self.tiles, self.flops = work.tiles, of.flops
        self.share = suited_share()
        self.share.start()

    def advance(self, fraction: float, finished: int) -> None:
        if self.share:
            self.share.advance(fraction, f"{finished} of {self.tiles} tiles")

    def stop(self) -> None:
        """Whatever came of it."""
        if self.share:
            self.share.stop()


def product(a: Path, b: Path, out: Path, asked: dict[str, object]) -> None:
    """Makes the product and says what it took. Raises what `watari.gemm` raises; what this machine
    lacks is an error here, since there is no product then."""
    told = Told()
    try:
        done = gemm_files.gemm(a, b, out, progress=told, **asked)  # type: ignore[arg-type]
    except UnsupportedError as error:
        raise UsageError(str(error)) from None
    finally:
        told.stop()
    print(summary(done, out, told))


def summary(done: Product, out: Path, told: Told) -> str:
    """What a finished product took, in some lines."""
    if not told.share:
        return f"{out}: was finished by an earlier run"
    moved = done.bytes_read + done.bytes_written
    rate = f" ({moved / done.seconds / 1e9:.3g} GB/s)" if done.seconds else ""
    text = f"{out}: {duration(done.seconds)}, read {gemm_case.amount(done.bytes_read)}, "
    text += f"wrote {gemm_case.amount(done.bytes_written)}{rate}"
    if done.seconds and told.flops and not done.finished_before:
        text += f", {gemm_case.flops_text(told.flops / done.seconds)}"
    return "\n".join([text, *done.notes])
