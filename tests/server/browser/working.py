"""What workers do in a browser, and what they look at."""

from __future__ import annotations

import io
import math
import struct
import wave

from PIL import Image, ImageDraw
from playwright.sync_api import Page, expect

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from server.live_server import LiveServer

A_MOMENT = 170  # milliseconds: a click right after a pair has come is not taken for an answer


def begin(page: Page, live: LiveServer, campaign: Campaign, query: str = "") -> None:
    """Join without looking at the door, and look at the first pair."""
    door, headers = live.join_link(campaign, query), {"Origin": live.url}
    answer = page.request.post(door, headers=headers, max_redirects=0)
    assert answer.status == 303, answer.text()
    page.goto(answer.headers["location"], wait_until="commit")
    wait_for_pair(page)


def begin_at_the_door(page: Page, live: LiveServer, campaign: Campaign) -> None:
    """Join as people do, and look at the first pair."""
    page.goto(live.join_link(campaign))
    page.locator("button.begin").click()
    wait_for_pair(page)


def wait_for_pair(page: Page) -> None:
    """Until there is something to compare."""
    expect(page.locator("#right > *")).not_to_have_count(0)


def wait_until_sent(page: Page) -> None:
    """Until nothing is kept in the browser; `wait_for_function` is against the policy of pages."""
    for _ in range(400):
        if page.evaluate("Object.keys(localStorage).every((key) => key === 'hodgerank.keys')"):
            return
        page.wait_for_timeout(50)
    raise AssertionError("answers are still kept in the browser")


def press(page: Page, key: str) -> None:
    """A key, not too soon."""
    page.wait_for_timeout(A_MOMENT)
    page.keyboard.press(key)


def click(page: Page, selector: str) -> None:
    """A click, not too soon, even if there it does nothing."""
    page.wait_for_timeout(A_MOMENT)
    page.locator(selector).click(force=True)


def shown(page: Page) -> tuple[str, str]:
    """The words on both sides."""
    return page.locator("#left").inner_text(), page.locator("#right").inner_text()


def expect_count(page: Page, words: str) -> None:
    """How far along one is."""
    expect(page.locator("#count")).to_have_text(words)


def expect_done(page: Page) -> None:
    """The last page."""
    page.wait_for_url("**/done")


def outcomes(campaign: Campaign) -> list[float]:
    """Of all answers that stand, in order."""
    return [row["outcome"] for row in standing(campaign)]


def standing(campaign: Campaign) -> list[dict[str, object]]:
    """All answers that were not taken back."""
    return [row for row in campaign.answers() if row["why_not"] != "taken back"]


def picture(text: str, size: tuple[int, int] = (320, 240)) -> bytes:
    """A PNG that says something."""
    image = Image.new("RGB", size, (70, 110, 150))
    ImageDraw.Draw(image).text((10, 10), text, fill="white")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def tone(seconds: float, pitch: float = 440) -> bytes:
    """A WAV with one tone."""
    rate, file = 8000, io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setparams((1, 2, rate, 0, "NONE", "not compressed"))
        waves = (math.sin(k * pitch * 2 * math.pi / rate) for k in range(int(rate * seconds)))
        sound.writeframes(b"".join(struct.pack("<h", int(9000 * y)) for y in waves))
    return file.getvalue()


def pictures(
    live: LiveServer, n: int = 4, size: tuple[int, int] = (320, 240)
) -> list[CampaignItem]:
    """Items that are pictures of this context."""
    added = [live.context.media.add(picture(f"picture {k}", size), f"{k}.png") for k in range(n)]
    return [CampaignItem(f"secret-{k}", media=media) for k, media in enumerate(added)]


def tones(live: LiveServer, seconds: float, n: int = 3) -> list[CampaignItem]:
    """Items that are sounds of this context."""
    added = [live.context.media.add(tone(seconds, 300 + 60 * k), f"{k}.wav") for k in range(n)]
    return [CampaignItem(f"secret-{k}", media=media) for k, media in enumerate(added)]


RECORD = """async () => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 120 });
  const pen = canvas.getContext("2d");
  const how = { mimeType: "video/webm;codecs=vp8" };
  const recorder = new MediaRecorder(canvas.captureStream(25), how);
  const parts = [];
  recorder.ondataavailable = (event) => parts.push(event.data);
  const over = new Promise((go) => (recorder.onstop = go));
  recorder.start();
  for (let k = 0; k < 12; k++) {
    pen.fillStyle = `hsl(${30 * k + 360 * Math.random()} 80% 50%)`;
    pen.fillRect(0, 0, 160, 120);
    await new Promise((go) => setTimeout(go, 50));
  }
  recorder.stop();
  await over;
  return [...new Uint8Array(await new Blob(parts).arrayBuffer())];
}"""


_recorded: list[bytes] = []


def videos(live: LiveServer, page: Page, n: int = 2) -> list[CampaignItem]:
    """Items that are videos of half a second, recorded by a browser."""
    page.goto(f"{live.url}/enter")
    while len(_recorded) < n:
        _recorded.append(bytes(page.evaluate(RECORD)))
    added = [live.context.media.add(video, f"{k}.webm") for k, video in enumerate(_recorded)]
    return [CampaignItem(f"secret-{k}", media=media) for k, media in enumerate(added)]
