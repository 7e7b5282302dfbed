"""OpenVINO: special_zero is a required boolean of Reshape-1; a layer with special_zero="2" and one without it are read."""
import openvino as ov

LAYERS = """<net name="g" version="11"><layers>
<layer id="0" name="data" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>
  <output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>
<layer id="1" name="shape" type="Const" version="opset1"><data element_type="i64" shape="2" offset="0" size="16"/>
  <output><port id="0" precision="I64"><dim>2</dim></port></output></layer>
<layer id="2" name="reshape" type="Reshape" version="opset1">{attributes}
  <input><port id="0"><dim>2</dim><dim>3</dim></port><port id="1"><dim>2</dim></port></input>
  <output><port id="2" precision="FP32"><dim>3</dim><dim>2</dim></port></output></layer>
<layer id="3" name="result" type="Result" version="opset1"><input><port id="0"><dim>3</dim><dim>2</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/><edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"""
target = b"".join(value.to_bytes(8, "little") for value in (3, 2))
read = []
for attributes in '<data special_zero="2"/>', "":
    try:
        model = ov.Core().read_model(LAYERS.format(attributes=attributes).encode(), target)
        ov.Core().compile_model(model, "CPU")
        read.append(attributes or "a layer without special_zero")
    except RuntimeError as error:
        print("refused:", str(error).strip().splitlines()[-1])
print("reproduced: read " + " and ".join(read) if read else "not reproduced: both are refused")
