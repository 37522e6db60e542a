"""The products: declarative files (`*.yaml`), their models (`schema`), and the index
over them (`catalogue`)."""
