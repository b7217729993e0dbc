"""A training loop of PyTorch: `training.py STEPS`. Prints the loss, the same in every run."""

import sys

import torch

torch.manual_seed(1)
torch.use_deterministic_algorithms(True)
network = torch.nn.Sequential(
    torch.nn.Linear(4096, 8192), torch.nn.ReLU(), torch.nn.Linear(8192, 10)
).cuda()
optimizer = torch.optim.Adam(network.parameters())
given, wanted = torch.randn(4096, 4096, device="cuda"), torch.randint(10, (4096,), device="cuda")
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 50):
    loss = torch.nn.functional.cross_entropy(network(given), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"loss {loss.item():.6f}")
