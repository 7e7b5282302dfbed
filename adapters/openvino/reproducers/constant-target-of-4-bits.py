"""OpenVINO: a constant target of i4 or u4 is read a byte a value, past its end: of [3, 2], packed in one byte, the first is 0x23."""
import openvino as ov

IR = """<net name="g" version="11"><layers>
<layer id="0" name="data" type="Parameter" version="opset1"><data shape="?,?" element_type="f32"/>
  <output><port id="0" precision="FP32"><dim>-1</dim><dim>-1</dim></port></output></layer>
<layer id="1" name="shape" type="Const" version="opset1"><data element_type="u4" shape="2" offset="0" size="1"/>
  <output><port id="0" precision="U4"><dim>2</dim></port></output></layer>
<layer id="2" name="reshape" type="Reshape" version="opset1"><data special_zero="false"/>
  <input><port id="0"><dim>-1</dim><dim>-1</dim></port><port id="1"><dim>2</dim></port></input>
  <output><port id="2" precision="FP32"><dim>-1</dim><dim>-1</dim></port></output></layer>
<layer id="3" name="result" type="Result" version="opset1"><input><port id="0"><dim>-1</dim><dim>-1</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/><edge from-layer="2" from-port="2" to-layer="3" to-port="0"/></edges></net>"""
try:
    shape = str(ov.Core().read_model(IR.encode(), bytes([0x23])).output().partial_shape)
    print("not reproduced:" if shape == "[3,2]" else "reproduced:", "the target is [3, 2], the inferred output", shape)
except RuntimeError as error:
    print("not reproduced: refused:", str(error).strip().splitlines()[-1])
