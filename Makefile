.DEFAULT_GOAL := help
PYTHON := .venv/bin/python

.PHONY: help
help: ## Show what can be made
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: proto
proto: ## Generate the gRPC stubs from proto/ into libs/proofwalk/api
	$(PYTHON) -m grpc_tools.protoc -I proto --python_out=libs --pyi_out=libs --grpc_python_out=libs $$(find proto -name '*.proto' | sort)
	@find libs/proofwalk/api -type d -exec touch {}/__init__.py \;
