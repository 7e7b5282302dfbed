"""mlx: an array's namespace of the Array API standard has a reshape without `copy`."""
import mlx.core as mx

data = mx.zeros((2, 3))
namespace = data.__array_namespace__()
try:
    print("not reproduced:", namespace.reshape(data, (3, 2), copy=True).shape)
except TypeError as error:
    print("reproduced: reshape(data, (3, 2), copy=True) is refused:", str(error).splitlines()[0])
