"""mlx: a shape with two negative values, whose product is the number of elements, becomes the shape of the array."""
import mlx.core as mx

try:
    shape = mx.reshape(mx.zeros(6), (-2, -3)).shape
    print(f"{'reproduced' if min(shape) < 0 else 'not reproduced'}: 6 elements in the shape (-2, -3) have the shape {shape}")
except ValueError as error:
    print("not reproduced:", error)
