"""OpenVINO: special_zero is a required boolean of Reshape-1; layers with "2" or "sometimes" and one without it are read as false."""
import numpy as np
import openvino as ov

LAYERS = """<net name="g" version="11"><layers>
<layer id="0" name="data" type="Parameter" version="opset1"><data shape="3,0" element_type="f32"/>
  <output><port id="0" precision="FP32"><dim>3</dim><dim>0</dim></port></output></layer>
<layer id="1" name="shape" type="Const" version="opset1"><data element_type="i64" shape="2" offset="0" size="16"/>
  <output><port id="0" precision="I64"><dim>2</dim></port></output></layer>
<layer id="2" name="reshape" type="Reshape" version="opset1">{attributes}
  <input><port id="0"><dim>3</dim><dim>0</dim></port><port id="1"><dim>2</dim></port></input>
  <output><port id="2" precision="FP32"><dim>0</dim><dim>0</dim></port></output></layer>
<layer id="3" name="result" type="Result" version="opset1"><input><port id="0"><dim>0</dim><dim>0</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/><edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"""
target = bytes(16)  # [0, 0]
shapes = []
for attributes in '<data special_zero="2"/>', '<data special_zero="sometimes"/>', "":
    try:
        model = ov.Core().read_model(LAYERS.format(attributes=attributes).encode(), target)
        shapes.append(list(ov.Core().compile_model(model, "CPU")(np.zeros((3, 0), np.float32))[0].shape))
    except RuntimeError as error:
        shapes.append("refused: " + str(error).strip().splitlines()[-1])
same = shapes == [[0, 0]] * 3
said = "with special_zero=2", "with special_zero=sometimes", "without special_zero"
answers = ", ".join(f"{shape} {how}" for shape, how in zip(shapes, said))
print("reproduced:" if same else "not reproduced:", "[3, 0] to [0, 0] gives", answers)
