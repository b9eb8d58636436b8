import base64
import html
import json
import pickle
import re
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from conftest import quietly, seeded
from hypothesis import given, settings
from hypothesis import strategies as st
from optional import optional

import shoal

plt = optional("matplotlib.pyplot")
pl = optional("polars")


@pytest.fixture(scope="module")
def release(spirals):
    """A release without doubtful clusters; about one run in a hundred has some."""
    while True:
        found = seeded(None, columns=["x", "y"]).fit(spirals.frame).release_
        if not any(cluster.doubtful for cluster in found.clusters):
            return found


def test_it_says_what_it_holds(release):
    assert release.epsilon == Decimal(1) == sum(share.epsilon for share in release.spent)
    assert [axis["name"] for axis in release.axes] == ["x", "y"]
    assert release.n_clusters == len(release.clusters)
    assert release.parameters["percentile"] == 10
    for i, cluster in enumerate(release.clusters):
        assert cluster.label == i
        assert cluster.cells == (release.cell_labels == i).sum()


def test_it_is_loaded_saved_and_pickled(release, tmp_path):
    release.save(tmp_path / "r.json")
    for again in [shoal.Release.load(tmp_path / "r.json"), shoal.Release.from_json(release.to_json()), pickle.loads(pickle.dumps(release))]:
        assert again == release and hash(again) == hash(release)
    assert release != "a text"
    for suffix in ["geojson", "csv", "html", "svg", "png"]:
        release.save(tmp_path / f"r.{suffix}")
        assert (tmp_path / f"r.{suffix}").stat().st_size > 100
    with pytest.raises(ValueError, match="txt"):
        release.save(tmp_path / "r.txt")
    with pytest.raises(ValueError, match=r"nowhere.json"):
        shoal.Release.load(tmp_path / "nowhere.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(ValueError, match=r"bad.json"):
        shoal.Release.load(tmp_path / "bad.json")


@settings(max_examples=25, deadline=None)
@given(st.floats(0, 99), st.sampled_from(["haar", "db2", "bior2.2"]), st.integers(1, 3), st.sampled_from(["full", "face"]), st.booleans())
def test_a_reshape_of_noisy_counts_is_free_and_complete(percentile, wavelet, level, adjacency, stationary):
    spirals = shoal.datasets.load("ds2", points=2000)
    release = quietly(seeded(technique="privqt"), spirals.X).release_
    other = release.reshape(percentile=percentile, wavelet=wavelet, level=level, adjacency=adjacency, stationary=stationary)
    fitted = quietly(seeded(technique="privqt", percentile=percentile, wavelet=wavelet, level=level, adjacency=adjacency, stationary=stationary), spirals.X)
    assert np.array_equal(other.cell_labels, fitted.cell_labels_)
    assert other.spent == release.spent


def test_a_small_release_predicts_but_is_not_reshaped(release, spirals):
    small = release.without_noisy_values()
    assert small.noisy_values is None
    assert np.array_equal(small.predict(spirals.X), release.predict(spirals.X))
    assert len(small.to_json()) < len(release.to_json())
    with pytest.raises(ValueError):
        small.reshape(percentile=50)


def test_predictions_are_places_among_the_clusters(release, spirals):
    labels = release.predict(spirals.frame)
    assert labels.dtype == np.int64 and labels.min() >= -1 and labels.max() < release.n_clusters
    cells = np.minimum((spirals.X * 20).astype(int), 19)
    assert np.array_equal(labels, release.cell_labels[cells[:, 0], cells[:, 1]])
    assert release.predict([[np.nan, 0.5], [2, 2], [np.inf, 0]]).tolist() == [-1, -1, -1]
    mixed = spirals.frame.assign(z="text")[["z", "y", "x"]]
    for frame in [mixed, pl.from_pandas(mixed), pa.Table.from_pandas(mixed)]:
        assert np.array_equal(release.predict(frame), labels)
    with pytest.raises(ValueError, match="3 features"):
        release.predict(np.zeros((4, 3)))


def test_shapes_for_maps(release):
    geopandas = pytest.importorskip("geopandas")
    collection = release.to_geojson()
    assert len(collection["features"]) == release.n_clusters
    frame = release.to_geopandas()
    assert isinstance(frame, geopandas.GeoDataFrame) and len(frame) == release.n_clusters and frame.crs is None
    cell = 1 / 20**2
    assert np.allclose(frame.area, [cluster.cells * cell for cluster in release.clusters])
    world = shoal.datasets.load("world", points=20000)
    model = shoal.PrivateWaveCluster(epsilon=1, bounds=dict(zip(world.names, world.bounds)), grid=(72, 36), percentile=30).fit(world.frame)
    assert model.release_.to_geopandas().crs == "EPSG:4326"


@pytest.mark.parametrize("name", ["mixture1", "ds2", "mixture3"])
def test_pictures_of_one_two_and_three_axes(name):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: make test ALL=1")
    data = shoal.datasets.load(name, points=4000)
    model = shoal.PrivateWaveCluster(epsilon=5, bounds=data.bounds, grid=16, percentile=40).fit(data.X)
    drawn = model.release_.plot()
    if name == "mixture3":
        assert drawn.shape == (2, 2) and drawn[0, 0].get_figure().get_suptitle().endswith("ε 5")
        assert [ax.has_data() for ax in drawn.flat] == [True, False, True, True]
        assert (drawn[1, 0].get_xlabel(), drawn[1, 0].get_ylabel()) == ("axis 1", "axis 3")
        with pytest.raises(ValueError, match="two different axes from 0 to 2"):
            model.release_.plot(axes=(0, 3))
    else:
        assert drawn.get_title(loc="left").endswith("ε 5")
    np.atleast_1d(drawn).flat[0].figure.canvas.draw()
    fig, (left, right) = plt.subplots(1, 2)
    assert model.release_.plot(right) is right and not left.has_data()
    shoal.WaveCluster(bounds=data.bounds, grid=16, percentile=40).fit(data.X).plot(left)
    fig.canvas.draw()
    plt.close("all")


@pytest.mark.parametrize("name", ["mixture1", "ds2"])
def test_plots_number_clusters_as_predictions_do(name):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: make test ALL=1")
    data = shoal.datasets.load(name, points=4000)
    model = quietly(seeded(bounds=data.bounds, grid=32, percentile=40, epsilon=5), data.X)
    for drawn, found in [(model.release_.plot(), model), (shoal.WaveCluster(bounds=data.bounds, grid=32, percentile=40).fit(data.X).plot(), None)]:
        found = found or shoal.WaveCluster(bounds=data.bounds, grid=32, percentile=40).fit(data.X)
        numbers = {int(text.get_text()): list(text.get_position())[: data.X.shape[1]] for text in drawn.texts}
        assert sorted(numbers) == list(range(found.n_clusters_)) and found.n_clusters_ > 1
        labels = found.release_.predict(list(numbers.values()), doubtful=True) if found is model else found.predict(list(numbers.values()))
        assert labels.tolist() == list(numbers)
        assert "as in labels_" in drawn.get_title(loc="right")
    plt.close("all")
    shown = base64.b64decode(model.release_._repr_html_().split("base64,")[1].split('"')[0]).decode()
    in_notebook, in_files = ([int(number) for number in re.findall(r'font-weight="(?:bold|600|700)"[^>]*>(\d+)</text>', svg)] for svg in (shown, model.release_.svg()))
    assert in_notebook and min(in_notebook) == 0 and in_files == [number + 1 for number in in_notebook]
    assert "numbers start at 0, as in labels_" in model.release_._repr_html_()
    assert [cluster.id for cluster in model.release_.clusters] == [cluster["id"] for cluster in json.loads(model.release_.to_json())["clusters"]]


def test_a_drawn_map_has_the_colours_of_the_clusters(release):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: make test ALL=1")
    small = release.reshape(percentile=60)
    fig, ax = plt.subplots()
    mesh = small.plot(ax).collections[-1]
    colors = mesh.cmap(mesh.norm(np.arange(small.n_clusters)))[:, :3]
    assert len(np.unique(colors.round(3), axis=0)) >= min(3, small.n_clusters)
    plt.close(fig)


def test_notebooks_show_releases_and_models(release, spirals):
    shown = release._repr_html_()
    picture = shown.split("base64,")[1].split('"')[0]
    assert base64.b64decode(picture).startswith(b"<svg") or b"<svg" in base64.b64decode(picture)[:200]
    assert release.technique in shown and "31200" not in shown
    model = seeded()
    assert "PrivateWaveCluster" in model._repr_html_() and "significant" not in model._repr_html_()
    quietly(model, spirals.X)
    assert model._repr_html_().endswith(model.release_._repr_html_())
    assert model.release_._repr_html_() in model._repr_mimebundle_()["text/html"]
    plain = shoal.WaveCluster(bounds=(0, 1), grid=40, percentile=10).fit(spirals.X)
    assert "3 clusters" in plain._repr_mimebundle_()["text/html"] and "Not private" in plain._repr_html_()


def test_geojson_is_json(release):
    assert json.loads(json.dumps(release.to_geojson())) == release.to_geojson()


def test_a_coverage_is_a_rule_of_estimators_and_reshapes():
    spirals = shoal.datasets.load("ds2", points=5000)
    truth = shoal.WaveCluster(bounds=(0, 1), grid=40, coverage=90).fit(spirals.X)
    held = np.bincount(truth.labels_ + 1, minlength=2)[1:].sum()
    assert 0.9 * len(spirals.X) <= held < 0.93 * len(spirals.X)  # the fewest cells that reach it, ties with the last included
    model = shoal.PrivateWaveCluster(epsilon=100, bounds=(0, 1), grid=40, coverage=90).fit(spirals.X)
    assert model.k_ == truth.k_ and model.release_.parameters["coverage"] == 90
    assert model.release_.reshape(coverage=50).k < model.k_
    with pytest.raises(ValueError, match="coverage"):
        model.release_.reshape(coverage=50, top=3)
    with pytest.raises(ValueError, match="coverage"):
        shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), coverage=101).fit(spirals.X)


def test_grid_auto_chooses_grid_and_threshold():
    spirals = shoal.datasets.load("ds2")
    model = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto").fit(spirals.X)
    release = model.release_
    assert abs(release.automatic["records"] - len(spirals.X)) < 1000
    assert release.axes[0]["cells"] == 120 and release.n_clusters == 3
    assert [share.mechanism for share in release.spent] == ["records", "rounding", "sums"]
    assert (model.labels_ == release.predict(spirals.X, assign="halo")).all()
    dense = release.reshape(percentile=90)
    labelled = [int((dense.predict(spirals.X, assign=how) >= 0).sum()) for how in ("none", "halo", "nearest")]
    assert labelled[0] < labelled[1] < labelled[2] == len(spirals.X)
    with pytest.raises(ValueError, match="assign"):
        release.predict(spirals.X, assign="far")
    assert next(share.mechanism for share in model.plan(2)) == "records"
    assert release.reshape(percentile=20).n_clusters > 0
    assert shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), coverage=80).fit(spirals.X).release_.automatic is None
    for more in ({"percentile": 10}, {"coverage": 80}, {"wavelet": "db2"}, {"level": 2}, {"technique": "privqt"}):
        with pytest.raises(ValueError, match="auto"):
            shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto", **more).fit(spirals.X)

def test_the_owners_view_chooses_too():
    spirals = shoal.datasets.load("ds2")
    model = shoal.WaveCluster(bounds=(0, 1), grid="auto").fit(spirals.X)
    assert model.n_clusters_ == 3 and model.cell_labels_.shape == (80, 80)
    assert (model.labels_ == model.predict(spirals.X)).all() and (model.labels_ < 0).mean() < 0.02
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(spirals.X) == model.labels_).all()
    assert shoal.WaveCluster(bounds=(0, 1), grid="auto").fit(np.random.default_rng(1).uniform(size=(20000, 2))).n_clusters_ <= 1
    for more in ({"percentile": 10}, {"coverage": 80}, {"wavelet": "db2"}):
        with pytest.raises(ValueError, match="auto"):
            shoal.WaveCluster(bounds=(0, 1), grid="auto", **more).fit(spirals.X)


def test_points_have_a_strength_of_membership():
    spirals = shoal.datasets.load("ds2")
    for model in (seeded(None), shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid="auto")):
        model.fit(spirals.X)
        strength, labels = model.strength(spirals.X), model.labels_
        assert strength.shape == labels.shape and strength.min() >= 0 and strength.max() == 1
        assert (strength[labels < 0] == 0).all()
        for label in set(labels[labels >= 0]):  # a doubtful cluster labels none
            assert strength[labels == label].max() == 1
        assert (model.release_.strength(spirals.X) == strength).all()
    assert (model.release_.strength(spirals.X, assign="nearest") >= strength).all()
    with pytest.raises(ValueError, match="noisy values"):
        model.release_.without_noisy_values().strength(spirals.X)


def test_clusters_say_how_sure_they_are():
    points = shoal.datasets.load("ds2").X
    release = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=40, percentile=10).fit(points).release_
    for cluster in release.clusters:
        sure = cluster.confidence
        assert all(0 <= chance <= 1 for chance in (sure.real, sure.connected, sure.separate))
        assert sure.joined_with is None or 0 <= sure.joined_with < release.n_clusters
    assert release.clusters[0].confidence.real > 0.9
    assert release.without_noisy_values().clusters == release.clusters


def test_the_tree_is_plain_data_and_free(release):
    tree = release.tree()
    assert tree["format"] == "shoal-tree/1" and tree["k"] == release.k
    stable = [branch for branch in tree["branches"] if branch["stable"] and branch["leaf"]]
    assert len(stable) >= 3  # the spirals, and denser places along them
    assert release.reshape(density=tree["level"]["density"]).n_clusters >= tree["level"]["stable"]
    assert release.tree_svg().startswith("<svg")
    with pytest.raises(ValueError, match="noisy values"):
        release.without_noisy_values().tree()


def test_a_grid_far_past_memory_is_released_from_a_floor_on(tmp_path):
    data = shoal.datasets.load("mixture6", points=50_000)
    model = quietly(seeded(epsilon=4, grid=64, percentile=80), data.X)
    release = model.release_
    assert release.floor >= 1 and release.n_clusters == 5
    assert release.noisy_values is None
    labels = release.predict(data.X)
    assert np.array_equal(labels, model.predict(data.X))
    assert (labels >= 0).mean() > 0.4
    again = shoal.Release.from_json(release.to_json())
    assert again == release and again.floor == release.floor
    assert again.reshape(percentile=95, min_cells=2).floor == release.floor
    with pytest.raises(ValueError, match="choose a density of"):
        release.reshape(density=0.001)
    with pytest.raises(ValueError, match="too many cells"):
        release.cell_labels
    assert "<svg" in release.svg() and release.without_noisy_values().floor is None


def test_a_file_that_is_there_is_replaced_only_when_asked(tmp_path, release):
    for suffix in ("json", "geojson", "csv", "html", "svg", "png"):
        path = tmp_path / f"r.{suffix}"
        path.write_text("paid for")
        with pytest.raises(FileExistsError, match="overwrite=True"):
            release.save(path)
        assert path.read_text() == "paid for"
        release.save(path, overwrite=True)
        assert path.read_bytes() != b"paid for"
    (tmp_path / "link.json").symlink_to("nowhere")
    with pytest.raises(ValueError, match="already exists"):
        release.save(tmp_path / "link.json")


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(spirals):
    release = shoal.PrivateWaveCluster(epsilon=1, bounds=(0, 1), grid=16, percentile=10, technique="privqt").fit(spirals.X).release_
    shown = release.explore(height=700)._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and 'sandbox="allow-scripts allow-downloads"' in shown and "height:700px" in shown
    assert html.unescape(shown.split('srcdoc="')[1].split('" sandbox')[0]) == release.html()


@pytest.fixture(scope="module")
def several(spirals):
    model = shoal.PrivateWaveCluster(epsilon=5, bounds=(0, 1), grid=64, coverage=90, technique="privqt")
    release = model.fit(spirals.X).release_
    return release, release.levels(range(1, 5))


def test_levels_are_reshapes_with_their_holders(several):
    release, levels = several
    assert list(levels) == [1, 2, 3, 4] and len(levels) == 4 and levels.private
    for level, at in levels.items():
        np.testing.assert_array_equal(at.cell_labels, release.reshape(level=level).cell_labels)
    assert list(levels.held_by) == [1, 2, 3]
    for level, holders in levels.held_by.items():
        fine, coarse = levels[level].cell_labels, levels[level + 1].cell_labels
        above = np.kron(coarse, np.ones((2, 2), np.int64))
        assert len(holders) == levels[level].n_clusters
        for label, holder in enumerate(holders):
            held = above[(fine == label) & (above >= 0)]
            assert holder.share == pytest.approx((held == holder.label).sum() / (fine == label).sum() if held.size else 0)
            assert holder.label == (np.bincount(held).argmax() if held.size else None)


def test_levels_are_saved_and_shown(several, tmp_path):
    _, levels = several
    for suffix in ["json", "html", "svg", "png"]:
        levels.save(tmp_path / f"levels.{suffix}")
    assert json.loads(levels.to_json())["format"] == "shoal-levels/1"
    assert (tmp_path / "levels.png").read_bytes().startswith(b"\x89PNG") and "<svg" in levels._repr_html_() and "Levels" in repr(levels)
    with pytest.raises(FileExistsError):
        levels.save(tmp_path / "levels.svg")
    with pytest.raises(ValueError, match="suffix"):
        levels.save(tmp_path / "levels.csv")


def test_levels_that_cannot_be_given_are_refused(several):
    release, _ = several
    with pytest.raises(ValueError, match="choose levels up to 5"):
        release.levels([1, 6])
    with pytest.raises(ValueError, match="no level is given"):
        release.levels([])
    with pytest.raises(TypeError, match="no level"):
        release.levels([1, 2], level=1)
    assert release.levels([1, 2], coverage=50)[1].k < release.levels([1, 2])[1].k
