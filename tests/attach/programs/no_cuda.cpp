// A program that never loads CUDA.
#include <cstdio>

int main() { std::puts("no GPU here"); }
