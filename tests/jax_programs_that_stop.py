"""Programs of JAX that do not come to an end, or do something else than computing arrays."""

import os
import sys
import threading
import time

import jax.numpy as jnp


def twice(x):
    return 2 * x


def never_ends(x):
    while True:
        pass


def sleeps(x):
    time.sleep(1000)


def sleeps_at_two(x):
    if x.shape[0] == 2:
        time.sleep(1000)
    return 2 * x


def catches_all(x):
    while True:
        try:
            time.sleep(1000)
        except BaseException:
            continue


def lets_no_thread_run(x):
    7 ** (10**9)


def grows(x):
    held = []
    while True:
        held.append(bytes(10**6))


def is_large(x):
    return 2 * x + jnp.zeros((1 << 33,)).sum()


def asks_for_numbers(x):
    while x.sum() > 0:
        x = x - 1
    return x


def leaves(x):
    sys.exit(0)


def ends_the_process(x):
    os._exit(0)


def is_killed(x):
    os.kill(os.getpid(), 9)


def interrupts(x):
    raise KeyboardInterrupt


def raises_its_own(x):
    raise type("Mine", (BaseException,), {})


def raises_at_two(x):
    if x.shape[0] == 2:
        raise ValueError("two rows")
    return 2 * x


def prints(x):
    print("two")
    return 2 * x


def writes(x):
    x[0] = 0
    return 2 * x


def number_at_one(x):
    return 2.0 if x.shape[0] == 1 else 2 * x


def text_at_two(x):
    return "two" if x.shape[0] == 2 else 2 * x


def nothing_at_two(x):
    return None if x.shape[0] == 2 else 2 * x


def object_at_two(x):
    return object() if x.shape[0] == 2 else 2 * x


def pair_at_two(x):
    return (2 * x, x) if x.shape[0] == 2 else 2 * x


def forks(x):
    os.fork()
    return 2 * x


def starts_a_thread(x):
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
    return 2 * x
