"""cc3d (connected-components-3d) with all neighbours, told that the mask is binary."""

NAME = "cc3d"
NEEDS = ["cc3d"]


def run(data):
    import cc3d

    return [cc3d.connected_components(mask, connectivity={2: 8, 3: 26}[mask.ndim], binary_image=True) for mask in data["masks"]]
