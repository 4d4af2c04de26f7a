"""Calls per second of a judged campaign: 1,000 items, 64 calls in progress, a 5 ms endpoint.

    python -m benchmarks.judge_1000_items_64_calls [--calls 3000] [--repeats 3]

The endpoint runs in a process of its own and answers after 5 ms. Calls, campaign and intents are
written to a folder beside the working directory's disk (`--folder`), as in a real run. Prints the
fastest of the repeats, from the first call to the final ranking.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path

import hodgerank as hr
from hodgerank.judges.chat_judge import ChatJudge
from hodgerank.judges.run_on_items import judge_items

N_ITEMS, IN_PROGRESS = 1000, 64
ENDPOINT = r"""
import asyncio, re
USAGE = b'"usage":{"prompt_tokens":120,"completion_tokens":1}'
async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
            body = await reader.readexactly(length)
            await asyncio.sleep(0.005)
            left, right = (int(k) for k in re.findall(rb"item number (\d+) ", body)[:2])
            reply = b'{"role":"assistant","content":"%s"}' % (b"A" if left > right else b"B")
            choice = b'{"index":0,"message":%s,"finish_reason":"stop"}' % reply
            out = b'{"model":"m","choices":[%s],%s}' % (choice, USAGE)
            start = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
            writer.write(start + b"%d\r\n\r\n" % len(out) + out)
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


async def _campaign(url: str, folder: Path, calls: int) -> float:
    texts = {f"item-{k:04d}": f"This is item number {k} of the list." for k in range(N_ITEMS)}
    judge = ChatJudge(texts, "Which is better?", "m", base_url=url, log=folder / "calls.jsonl")
    sampler = hr.AutoSampler(judge.items.items, seed=1, position_bias="worker")
    start = time.perf_counter()
    await judge_items(
        judge,
        calls,
        sampler=sampler,
        concurrency=IN_PROGRESS,
        progress=False,
        campaign=folder / "campaign.db",
    )
    seconds = time.perf_counter() - start
    await judge.close()
    return calls / seconds


def run(calls: int = 3000, repeats: int = 3, folder: Path | None = None) -> str:
    """Return the rates of all repeats."""
    with subprocess.Popen([sys.executable, "-c", ENDPOINT], stdout=subprocess.PIPE) as endpoint:
        assert endpoint.stdout is not None
        url = f"http://127.0.0.1:{int(endpoint.stdout.readline())}/v1"
        rates = []
        for _ in range(repeats):
            with tempfile.TemporaryDirectory(dir=folder or Path.cwd()) as place:
                rates.append(asyncio.run(_campaign(url, Path(place), calls)))
        endpoint.kill()
    return f"{max(rates):,.0f} calls per second (all: {', '.join(f'{r:,.0f}' for r in rates)})"


if __name__ == "__main__":
    parser = ArgumentParser()
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    print(run(options.calls, options.repeats, options.folder))
