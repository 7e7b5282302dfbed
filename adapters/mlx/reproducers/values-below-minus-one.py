"""mlx: shapes with a value below -1, whose product is the number of elements, become the shape of the array."""
import mlx.core as mx


def shape(data, target):
    try:
        return mx.reshape(mx.zeros(data), target).shape
    except ValueError as error:
        return f"an error: {error}"


two, one = shape(6, (-2, -3)), shape((0, 3), (0, -2))
word = "reproduced" if (two, one) == ((-2, -3), (0, -2)) else "not reproduced"
print(f"{word}: 6 elements in the shape (-2, -3) have the shape {two}, and none of (0, 3) in (0, -2) have {one}")
