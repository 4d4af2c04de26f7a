"""FakeLLM: the endpoint, its requests and replies."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from hodgerank.errors import InvalidArgument
from hodgerank.judges.fake_llm.faults import Fault, FaultPlan, Faults
from hodgerank.judges.fake_llm.http_server import HERE, Server
from hodgerank.judges.fake_llm.model_profile import Labels, ModelProfile
from hodgerank.judges.fake_llm.replies import checked, completion, digest, said


@dataclass(frozen=True)
class Call:
    """A request with a reply, which a real endpoint would charge.

    Attributes
    ----------
    body
        The request.
    left, right
        The texts that were found in it; images as 'sha256:' and the digest of their bytes.
    reply
        Content of the reply; None for a refusal without one.
    tokens
        Number of tokens in the request and in the reply.
    """

    body: Mapping[str, Any]
    left: str
    right: str
    reply: str | None
    tokens: tuple[int, int]

    @property
    def model(self) -> str:
        """Name of the model that the request asked for."""
        return str(self.body["model"])


class FakeLLM:
    """Endpoint of one or more fake models, as a context manager.

    At temperature 0, or without one, a reply is a function of the seed and the request. At higher
    temperatures each reply is drawn independently.

    Parameters
    ----------
    scores
        The true score of each text; images are named 'sha256:' and the digest of their bytes.
    profiles
        Behaviour of the models: one for all, or by name; others have the default.
    seed
        Seed of replies and faults.
    faults
        Faults of the connection.
    labels
        Reply labels and the outcomes they stand for, as a template has them; by default those
        that a prompt offers: A, B, T for a tie, digits for grades, X for no opinion.
    key
        If given, requests without it get status 401.
    port
        0 chooses a free port.
    on_call
        Called with each call, one at a time.
    """

    def __init__(
        self,
        scores: Mapping[str, float],
        *,
        profiles: ModelProfile | Mapping[str, ModelProfile] | None = None,
        seed: int = 0,
        faults: Faults | None = None,
        labels: Labels | None = None,
        key: str | None = None,
        port: int = 0,
        on_call: Callable[[Call], None] | None = None,
    ) -> None:
        self.scores = {text.strip(): float(score) for text, score in scores.items()}
        if "" in self.scores or len(self.scores) < 2:
            raise InvalidArgument("a fake model needs at least two texts that are not empty")
        self.profiles = {} if profiles is None else profiles
        self.seed, self.labels, self.key = seed, labels, key
        self.faults = faults or Faults()
        self._on_call = on_call
        self._mishaps = FaultPlan(self.faults, seed)
        self._lock = threading.Lock()
        self._calls: list[Call] = []
        self._asked: Counter[str] = Counter()
        self._mishappened: Counter[Fault] = Counter()
        self._closing = threading.Event()
        self._port = port

    def __enter__(self) -> FakeLLM:
        self._server = Server(self, self._port)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.close_all()

    @property
    def base_url(self) -> str:
        """Base URL for clients."""
        return f"http://{HERE}:{self._server.server_address[1]}/v1"

    @property
    def calls(self) -> list[Call]:
        """Requests with a reply, in order; requests that met with a fault are left out."""
        with self._lock:
            return list(self._calls)

    @property
    def faulted(self) -> Counter[Fault]:
        """Number of requests by the fault they met with."""
        with self._lock:
            return Counter(self._mishappened)

    @property
    def models(self) -> list[str]:
        """Names of the models with a profile; 'stand-in' if none is named."""
        return (
            ["stand-in"]
            if isinstance(self.profiles, ModelProfile)
            else [*self.profiles] or ["stand-in"]
        )

    def mishap(self) -> Fault | None:
        """Wait for the latency of a reply, and return its fault, if any."""
        fault, seconds = self._mishaps.draw()
        if seconds:
            self._closing.wait(seconds)
        if fault is not None:
            with self._lock:
                self._mishappened[fault] += 1
        return fault

    def answer(self, body: Any) -> dict[str, Any]:
        """Return the reply to a request; raise NotAPrompt if it cannot be answered."""
        prompt = checked(body)
        profile = self._temper(body["model"])
        name = digest(body)
        reply = said(body, prompt, self.scores, profile, self.labels, self._rng(name, body))
        with self._lock:
            answer = completion(body, prompt, reply, f"chatcmpl-{len(self._calls)}")
            usage = answer["usage"]
            tokens = usage["prompt_tokens"], usage["completion_tokens"]
            call = Call(body, reply.left, reply.right, reply.content, tokens)
            self._calls.append(call)
            if self._on_call is not None:
                self._on_call(call)
        return answer

    def _temper(self, model: str) -> ModelProfile:
        if isinstance(self.profiles, ModelProfile):
            return self.profiles
        return self.profiles.get(model, ModelProfile())

    def _rng(self, name: str, body: Mapping[str, Any]) -> Random:
        """Return the generator of a reply: at temperature 0 the same for the same request."""
        if not body.get("temperature"):
            return Random(f"{self.seed} {name}")
        with self._lock:  # the n-th time, so that threads do not change what is drawn
            self._asked[name] += 1
            return Random(f"{self.seed} {name} {self._asked[name]}")
