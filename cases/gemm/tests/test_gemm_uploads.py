"""Products that become objects: uploads that are stopped, killed, resumed or left."""

from __future__ import annotations

from pathlib import Path

import numpy
import object_server
import pytest
from gemm_objects import content, product, saved

from watari import _native, objects
from watari.cases.gemm.product import Interrupted, Silent
from watari.objects import sending

pytestmark = pytest.mark.skipif(
    bool(_native.objects_absent_reason()), reason=_native.objects_absent_reason()
)


class StoppingUpload(Silent):
    """Interrupts the storing of C after a share."""

    def __init__(self, after: float) -> None:
        self.after = after

    def storing(self, name: str, done: float) -> None:
        if done >= self.after:
            raise KeyboardInterrupt


def puts(server: object_server.Server) -> list[str]:
    return [path for method, path, _ in server.kept.seen if method == "PUT"]


def test_an_interrupted_upload_resumes(server: object_server.Server) -> None:
    a, b = saved(2500, 128, 8000)  # 80 MB: 10 parts, of which 4 are under way
    to = "s3://bucket/C.npy"
    with pytest.raises(Interrupted, match=r"C is complete in C\.npy\.\w+\.work"):
        product("a.npy", "b.npy", to, progress=StoppingUpload(0.8))
    assert len(server.kept.uploads) == 1
    assert "/bucket/C.npy" not in server.kept.objects
    done = product("a.npy", "b.npy", to)
    assert done.seconds == 0
    assert done.seconds_storing > 0
    sent = [path.partition("&")[0] for path in puts(server)]
    assert len(set(sent)) == 10
    assert sum(sent.count(path) == 1 for path in set(sent)) >= 5  # 4 at least were there
    numpy.testing.assert_array_equal(content(to, (2500, 8000)), a @ b)
    assert not server.kept.uploads
    assert sorted(path.name for path in Path().iterdir()) == ["a.npy", "b.npy"]


def test_another_product_aborts_the_upload(server: object_server.Server) -> None:
    a, b = saved(2500, 128, 4000)
    to = "s3://bucket/C.npy"
    for how in ({"alpha": 2}, {"fresh": True}):
        with pytest.raises(Interrupted):
            product("a.npy", "b.npy", to, progress=StoppingUpload(0.5))
        (name,) = server.kept.uploads
        product("a.npy", "b.npy", to, **how)
        assert not server.kept.uploads, name
        numpy.testing.assert_array_equal(content(to, (2500, 4000)), how.get("alpha", 1) * (a @ b))


@pytest.mark.parametrize("name", ["s3://bucket/C.npy", "s3://bucket/C.zarr", "C.zarr"])
def test_a_product_that_was_killed_after_its_completion_is_recognised(
    name: str, server: object_server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = saved(2500, 128, 4000)

    def killed(path: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(sending, "done_with", killed)
        with pytest.raises(KeyboardInterrupt):
            product("a.npy", "b.npy", name)
    before = len(puts(server))
    done = product("a.npy", "b.npy", name)
    assert done.seconds == 0
    if not name.endswith("s3://bucket/C.zarr"):  # whose chunks are written again
        assert len(puts(server)) == before
    numpy.testing.assert_array_equal(content(name, (2500, 4000)), a @ b)
    assert sorted(p.name for p in Path().iterdir() if p.name != "C.zarr") == ["a.npy", "b.npy"]


def test_an_upload_that_no_note_names_is_aborted(
    server: object_server.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that was killed between its note and the name of its upload."""
    saved(2500, 128, 4000)
    to = "s3://bucket/C.npy"
    other = objects.create(to)
    other.begin()  # of another program, which goes on
    real = objects.Writer.begin

    def killed(self: objects.Writer) -> str:
        real(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(objects.Writer, "begin", killed)
        with pytest.raises(Interrupted):
            product("a.npy", "b.npy", to)
    assert len(server.kept.uploads) == 2
    product("a.npy", "b.npy", to)
    assert len(server.kept.uploads) == 1
    other.abort()
