"""Public data sets: address, checksum, licence note and loader. The files are not included."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons, ReadReport
from hodgerank.errors import DatasetUnavailable, InvalidArgument, MissingDependency, require_one_of
from hodgerank.types import FloatArray, IntArray

DatasetName = Literal["pc-vqa", "pc-iqa", "reading-level"]

# The repository published with [Xu18], at the commit the checksums belong to.
ADDRESS = (
    "https://raw.githubusercontent.com/yuany-pku/activesample/"
    "80800f59a11686a2e13a93d5ba67810a75bec705/"
)
LICENCE = (
    "published by the authors of [Xu18] for research; no licence allows redistribution, so ask "
    "them before you pass the files on"
)


@dataclass(frozen=True)
class Dataset:
    """Location and description of a data set."""

    title: str
    folder: str
    source_folder: str
    references: int


DATASETS = {
    "pc-vqa": Dataset(
        "paired comparisons of video quality, 10 references with 16 versions each",
        "pc_vqa",
        "dataset/PC-VQA dataset",
        10,
    ),
    "pc-iqa": Dataset(
        "paired comparisons of image quality, 15 references with 16 versions each",
        "pc_iqa",
        "dataset/PC-IQA dataset",
        15,
    ),
    "reading-level": Dataset(
        "which of two documents is harder to read, with gold levels 1 to 12",
        "reading_level",
        "codes/Fig7/crowd-BT",
        1,
    ),
}

SHA256 = {
    "pc_vqa/data1.mat": "b6e38f19ff2444849d573f126c8f780396a3c0335cb029668c652bad67f03ae4",
    "pc_vqa/data2.mat": "c58b1b1fd2d02a317ebcb4c552675159afef98e23cf5ae5ecb3b3f63de79d689",
    "pc_vqa/data3.mat": "a574c66c47a73e05a0ef1a792de69592fa434fc78ccce1039e330ff775643bf8",
    "pc_vqa/data4.mat": "c6f621849cf68420de8c42ca706eebac1539a487418c646fdc25a20327f514dd",
    "pc_vqa/data5.mat": "05ed2eff21e8cb90b4254002c1f73338c9f403066544bf05294072481af62e32",
    "pc_vqa/data6.mat": "a287211ffd867d6ad9d46503b9de5f5ac1f9c6e822bb11c928912a3876cca9e8",
    "pc_vqa/data7.mat": "8f2a47e765e9a5430b47f036de1d69ca9b7a852403524014490d08dcc4d98589",
    "pc_vqa/data8.mat": "16e6908720428ddc30a743d4730fc91983c293b3ac3233d847a5dfb2d091ca69",
    "pc_vqa/data9.mat": "140a1d8fa68f5112359fd425f4abbc85c27d8184f040f7210a5d034cba90744a",
    "pc_vqa/data10.mat": "be023aa2340017cc0b3646964c32d33e74ae7a77acd64c767aa79a027e597ae3",
    "pc_iqa/data1.mat": "7e89557305286c4c8a633887aaa8d66e25c4756f42c188c20cdee03d99a277e7",
    "pc_iqa/data2.mat": "a24b44ed6092e5083aeb7ce86be11cf7b0ac28cf7637976db3cf1c0a95b6b5c2",
    "pc_iqa/data3.mat": "ae8f45306a16439d27584d63cc92b96b9c12df4fb7366a4633afef7cafa6989e",
    "pc_iqa/data4.mat": "734ff706903c200d447fcc70b50325d3d98b64e7d5d802a48bfba2e1e19dc648",
    "pc_iqa/data5.mat": "3884100bc207a037581c04581642b66726a11748b1bcfd090be74a1874d82662",
    "pc_iqa/data6.mat": "2b87c0691650f9fbca32c6fa6218cb6952e5b2a1a51a43b20a81550d0332da13",
    "pc_iqa/data7.mat": "698281b36d52a503c56379579af663e07ff4b94c4a61c94d65373b5f2e3753a8",
    "pc_iqa/data8.mat": "0ae018789e8872d81c0d9dabed8da57f3850b77a8e8ecb70e7281507d54799d7",
    "pc_iqa/data9.mat": "60020703351c284afcdaa05637724cbc39bcd73170e7b2e09dbb0722e6537ec1",
    "pc_iqa/data10.mat": "d823f85cef6594a9b865b1d0c3f1a004b987b96ca9a1ce5e145681d01b72d0ce",
    "pc_iqa/data11.mat": "d13b9fc863235e385029e2d6163c8528ae131677db96c200b4c1ce33db790a02",
    "pc_iqa/data12.mat": "db43b3ef9a1e262aba0f1a2531981cce9cb348c0d69e56e23c7201f641cdd031",
    "pc_iqa/data13.mat": "0552cb5f224ca8c834d02a3bc3cf8f536fe118d884b1e847640cd86708f8afae",
    "pc_iqa/data14.mat": "5a36233874e96ad8dee6b74abe9bebf1190ecd27adb6b7e321e2e45f6d739f03",
    "pc_iqa/data15.mat": "869b5e9c6068e437df3e70db08b82ed9f1201f556343355e9d7d75893b8b3bc8",
    "reading_level/readdataset.mat": (
        "b28ce4d48337ce00d51d5968509c5ccfe14fdd7c664d442636cf79f91ca158d9"
    ),
    "reading_level/groundtruthdata.mat": (
        "06ccffaf2b21a3aa7cc3dfec704adce36c091c9e1cd7415a9b50c2550e073e51"
    ),
}


def load_dataset(name: DatasetName, *, reference: int = 1) -> Comparisons:
    """Load one of the data sets of [Xu18].

    The files are read from the folder in the environment variable HODGERANK_DATA, or from the
    user's cache, to which they are downloaded and verified if necessary.

    Parameters
    ----------
    name
        'pc-vqa' and 'pc-iqa' have items 1 to 16 (version 1 is undistorted), without workers and
        display order. 'reading-level' has 490 documents with workers, and the harder one is
        preferred; the gold levels are returned as `truth`.
    reference
        Number of the video (1 to 10) or image (1 to 15).
    """
    dataset = DATASETS[require_one_of(name, DATASETS, "data set")]
    if not 1 <= reference <= dataset.references:
        raise InvalidArgument(f"{name} has references 1 to {dataset.references}, not {reference}")
    if name == "reading-level":
        rows = _matrix(dataset, "readdataset.mat", "data_ref")
        levels = _matrix(dataset, "groundtruthdata.mat", "groundtruthdata").ravel().astype(float)
        return _winners(name, rows[:, 1], rows[:, 2], worker=rows[:, 0], truth=levels)
    rows = _matrix(dataset, f"data{reference}.mat", "data_ref")
    return _winners(f"{name} {reference}", rows[:, 0], rows[:, 1])


def _winners(
    source: str,
    winner: IntArray,
    loser: IntArray,
    *,
    worker: IntArray | None = None,
    truth: FloatArray | None = None,
) -> Comparisons:
    """Number items from 1 to the largest number, or to the number of true scores."""
    n = int(max(winner.max(), loser.max())) if truth is None else len(truth)
    names, codes = np.zeros(0, int), np.full(len(winner), NO_WORKER)
    if worker is not None:
        names, codes = np.unique(worker, return_inverse=True)
    return Comparisons(
        items=tuple(range(1, n + 1)),
        left=(winner - 1).astype(np.int32),
        right=(loser - 1).astype(np.int32),
        outcome=np.ones(len(winner)),
        workers=tuple(int(name) for name in names),
        worker=codes.astype(np.int32),
        display_known=np.asarray(False),
        truth=truth,
        report=ReadReport(
            source, "winner, loser (display order unknown)", len(winner), notes=(LICENCE,)
        ),
    )


def _matrix(dataset: Dataset, file: str, variable: str) -> IntArray:
    from scipy.io import loadmat

    return np.asarray(loadmat(_path(dataset, file))[variable], dtype=np.int64)


def _path(dataset: Dataset, file: str) -> Path:
    folder = os.environ.get("HODGERANK_DATA")
    if folder:
        local = Path(folder, dataset.folder, file)
        if local.is_file():
            return local
        raise DatasetUnavailable(
            f"HODGERANK_DATA is {folder}, but there is no {dataset.folder}/{file} in it: "
            "correct or unset the variable"
        )
    try:
        import pooch
    except ImportError:
        raise MissingDependency("pooch", "downloading a data set") from None
    key = f"{dataset.folder}/{file}"
    url = ADDRESS + quote(f"{dataset.source_folder}/{file}")
    try:
        return Path(
            pooch.retrieve(
                url,
                known_hash=f"sha256:{SHA256[key]}",
                fname=key.replace("/", "-"),
                path=pooch.os_cache("hodgerank"),
            )
        )
    except (OSError, ValueError) as error:
        reason = str(error).split("\n", 1)[0]
        raise DatasetUnavailable(
            f"{url} cannot be downloaded ({reason}). Without a network, put the file into a folder "
            f"as {key} and name the folder in the environment variable HODGERANK_DATA"
        ) from None
