# Tests with real engines, in an environment of their own: vLLM pins much of what it depends on.

.PHONY: test-vllm test-vllm-gpu lock-vllm clean-vllm

test-vllm: .venv-vllm/stamp ## run the tests that need vLLM, without a GPU
	SDR_TEST_VLLM=1 .venv-vllm/bin/python -m pytest tests/engine -m "engine and not gpu" $(ARGS)

test-vllm-gpu: .venv-vllm/stamp ## run the tests that need vLLM, with a GPU
	SDR_TEST_VLLM=1 .venv-vllm/bin/python -m pytest tests/engine -m "engine and gpu" $(ARGS)

lock-vllm: ## remake .ci/constraints-vllm.txt with the newest versions
	PYTHON=$(PYTHON) .ci/lock-vllm

clean-vllm: ## remove the environment with vLLM
	rm -rf .venv-vllm

.venv-vllm/stamp: pyproject.toml constraints.txt .ci/constraints-vllm.txt .ci/install.py .ci/install_vllm.py | .venv-vllm/bin/python
	.venv-vllm/bin/python .ci/install_vllm.py
	@touch $@

.venv-vllm/bin/python:
	$(PYTHON) -m venv --clear .venv-vllm
