.DEFAULT_GOAL := help
VENV := .venv
PYTHON := $(VENV)/bin/python
# Containers often say that no byte code is written. Then each of the hundreds of
# processes of a test run compiles what it imports, which takes a second.
unexport PYTHONDONTWRITEBYTECODE
STAMP := $(VENV)/.installed
MYPY_PACKAGES := kernel chassis charts hcl orders models procedures cloud console gym dialects pixels desktop maps findings apis agent trajectories suites datasets rl experiments controller gateway rollout inspection account_pool sandbox_scheduler resource_provisioner reward_service inference trainer devcloud platform cli
# What the demo needs and nothing of the tests' or of learning: the first two minutes.
DEMO_STAMP := $(VENV)/.installed-demo
# Processes that the tests run in: one more than cores, since browsers are waited for. Each file stays in one, so what a module sets up is set up once.
WORKERS ?= 4
QUICK := not engine and not cluster and not desktop and not long and not leases and not vllm and not gpu and not s3

.PHONY: help
help: ## Show what can be made
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(STAMP) ## Get everything that is needed: system packages, virtual environment, Terraform

$(DEMO_STAMP): pyproject.toml requirements.lock setup/get.sh setup/timed.sh setup/packages.py setup/pins.py
	@sh setup/get.sh demo
	@touch $@

$(STAMP): $(DEMO_STAMP) setup/helm.py
	@sh setup/get.sh all
	@touch $@

.PHONY: demo
demo: $(DEMO_STAMP) ## Verify the ten example documents against the embedded cloud
	@$(VENV)/bin/proofwalk demo

.PHONY: demo-console
demo-console: $(DEMO_STAMP) ## Start the web console on a made-up history of five weeks, until Ctrl-C (DEMOFLAGS=--empty: on none)
	@$(VENV)/bin/proofwalk demo-console $(DEMOFLAGS)

.PHONY: test
# A browser that shares two cores with two others is sometimes late beyond a deadline. What failed so is run once more with nothing beside it,
# as CPython's own tests do, and listed: a test that fails alone fails the run.
test: setup ## Run the tests (unit, contract on SQLite and PostgreSQL, browser, Terraform, end to end)
	@$(PYTHON) -m pytest -q -m '$(QUICK)' -n $(WORKERS) --dist loadfile --no-loadscope-reorder --cache-clear $(TESTFLAGS) || { \
	  test $$? -eq 1 || exit 2; \
	  echo "Failed beside other tests; once more, alone:"; \
	  $(PYTHON) -m pytest -q -m '$(QUICK)' --last-failed --last-failed-no-failures none --maxfail 1 $(TESTFLAGS) -rA --show-capture no; }

.PHONY: test-long
test-long: setup ## Run the tests that take minutes each: runs on two ranks, killed runs, killed roles
	@$(PYTHON) -m pytest -q -m long --timeout 1200 $(TESTFLAGS)

.PHONY: test-leases
test-leases: setup ## Random histories of leases and those who wait, 100,000 steps on each database (takes an hour or more)
	@$(PYTHON) -m pytest -q -m leases tests/account_pool/test_lease_model.py --timeout 14400 -rA

.PHONY: test-fuzz
test-fuzz: setup ## Send 300 hostile messages to each call of each role (FUZZ_EXAMPLES=N; some minutes)
	@FUZZ_EXAMPLES=$${FUZZ_EXAMPLES:-300} $(PYTHON) -m pytest -q tests/platform/test_hostile_messages.py --timeout 3600

# Its packages for pictures and sound are built for GPUs, and a server of text needs none.
build/vllm/.installed: setup/vllm.txt
	@python3 -m venv build/vllm
	@build/vllm/bin/pip install -q -r setup/vllm.txt
	@build/vllm/bin/pip uninstall -qy torchvision torchaudio torchcodec
	@touch $@

.PHONY: test-vllm
test-vllm: setup build/vllm/.installed ## Run the engine's contract and parity on a real vLLM server on the CPU (3.5 GB of packages, then two minutes)
	@PROOFWALK_VLLM_PYTHON=$(CURDIR)/build/vllm/bin/python $(PYTHON) -m pytest -q -m vllm tests/inference -rA --show-capture no

build/moto/.installed: setup/moto.txt
	@python3 -m venv build/moto
	@build/moto/bin/pip install -q -r setup/moto.txt
	@touch $@

.PHONY: test-s3
test-s3: setup build/moto/.installed ## Keep blobs and copies of checkpoints on a real S3 server (a minute with its packages)
	@PROOFWALK_MOTO_SERVER=$(CURDIR)/build/moto/bin/moto_server $(PYTHON) -m pytest -q -n 0 -m s3 tests/rl tests/trainer tests/chassis tests/e2e/test_bucket.py -rA --show-capture no

build/schemathesis/.installed: setup/schemathesis.txt
	@python3 -m venv build/schemathesis
	@build/schemathesis/bin/pip install -q -r setup/schemathesis.txt
	@touch $@

.PHONY: test-gpu
test-gpu: setup ## Hold training and the embedded engine on a CUDA device against the processor (a minute)
	@$(PYTHON) -m pytest -q -n 0 -m gpu tests/rl tests/inference -rA --show-capture no

.PHONY: check
check: setup ## What CI checks before the tests: format, lint, types, layers, generated code
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check --quiet .
	@$(VENV)/bin/mypy $(addprefix -p proofwalk.,$(MYPY_PACKAGES))
	@$(VENV)/bin/mypy tests benchmarks checks setup deploy docs
	@$(VENV)/bin/lint-imports
	@$(PYTHON) -m checks.ratchets
	@$(PYTHON) -m checks.commits
	@$(MAKE) --no-print-directory dead-code
	@$(MAKE) --no-print-directory proto
	@git diff --exit-code --stat -- libs/proofwalk/api || { echo "Generated stubs differ from proto/: commit what 'make proto' wrote" >&2; exit 1; }

.PHONY: dead-code
dead-code: setup ## Find functions, classes and methods that nothing calls but tests (seconds)
	@$(PYTHON) -m checks.dead_code

.PHONY: proto
proto: ## Generate the gRPC stubs from proto/ into libs/proofwalk/api
	@$(PYTHON) -m grpc_tools.protoc -I proto --python_out=libs --pyi_out=libs --grpc_python_out=libs $$(find proto -name '*.proto' | sort)
	@find libs/proofwalk/api -type d -not -name __pycache__ -exec touch {}/__init__.py \;

.PHONY: docs
docs: setup ## Build the documentation's site into build/docs; a warning or a link without target fails
	@$(PYTHON) -m sphinx --fail-on-warning --keep-going --nitpicky --quiet -b html docs build/docs
	@echo "build/docs/index.html"

.PHONY: reference
reference: setup ## Write the references and diagrams of docs/ from the code
	@$(PYTHON) -m docs.writers

.PHONY: chart
chart: setup ## Write the chart's values.yaml, schema and table of values from deploy/helm/values.py, and lint it
	@$(PYTHON) -m deploy.helm.reference
	@$$($(PYTHON) setup/helm.py) lint --strict deploy/helm/proofwalk

.PHONY: requirements
requirements: setup ## Write what each image installs from the source and requirements.lock
	@$(PYTHON) -m deploy.images.requirements

.PHONY: images
# ROLES: all, unless some are named · BASE: an image with Python 3.11 to build on · WHEELS: a folder with wheels that no index has · IMAGEFLAGS: more
images: setup ## Build the roles' images from HEAD with the engine of DOCKER_HOST (ROLES='gateway rollout' BASE=… WHEELS=…)
	@$(PYTHON) -m deploy.images.build $(ROLES) $(if $(BASE),--base $(BASE)) $(if $(WHEELS),--wheels $(WHEELS)) $(IMAGEFLAGS)

DOCKER ?= docker

.PHONY: up
up: ## Start every role by docker-compose.yml and wait until all are healthy (COMPOSEFLAGS='--profile observability')
	@python3 deploy/compose/credentials.py
	@$(DOCKER) compose $(COMPOSEFLAGS) up --detach --wait

.PHONY: down
down: ## Stop what `make up` started; volumes and secrets stay
	@$(DOCKER) compose --profile '*' down

.PHONY: test-cluster
test-cluster: setup ## Run the sandbox scheduler and the chart on the cluster of KUBECONFIG, which must be of no other use (needs the images on its node)
	@$(PYTHON) -m pytest -q -m cluster tests/cluster -rA

.PHONY: test-compose
test-compose: setup ## Bring docker-compose.yml up on the engine of DOCKER_HOST, verify a document, bring it down (needs the images)
	@$(PYTHON) -m pytest -q -m engine tests/compose --timeout 1200 -rA

.PHONY: console
console: ## Build the embedded cloud's console bundle (needs node)
	@cd services/proofwalk/devcloud/console/browser && npm ci --ignore-scripts --legacy-peer-deps --silent && npm run --silent build

.PHONY: suites
suites: setup ## Make the suites of tasks from suites/units and suites/families
	@$(VENV)/bin/proofwalk suites generate $(SUITESFLAGS)

.PHONY: bench-prove
bench-prove: setup ## Prove a sample of 8 tasks of console-278: oracle, null, near misses, and random on 2 of them
	@$(VENV)/bin/proofwalk bench prove console-278 --sample 8 --wander 2 --parallel 6 $(BENCHFLAGS)

.PHONY: bench-prove-all
bench-prove-all: setup ## Prove every task of console-278 and keep the oracle's events (an hour or more; BENCHFLAGS=--resume goes on)
	@$(VENV)/bin/proofwalk bench prove console-278 --record --parallel 6 $(BENCHFLAGS)

.PHONY: results-state
results-state: setup ## Say of each committed result which commit it measured, whether clean, and how often that code has changed since
	@$(VENV)/bin/python -m benchmarks.state

.PHONY: bench-first-minutes
bench-first-minutes: setup ## Measure make demo from the clone to its table on a fresh Debian, before and now (as root; half an hour)
	@$(PYTHON) -m benchmarks.first_minutes $(BENCHFLAGS)

.PHONY: bench-episode
bench-episode: setup ## Measure an episode's overhead and the first observation
	@$(PYTHON) -m benchmarks.episode

# The peers want other versions of what the project uses, so they live apart.
PEERS := build/peers/.installed
$(PEERS):
	@python3 -m venv build/peers
	@build/peers/bin/pip install --quiet --disable-pip-version-check -r benchmarks/peers.txt
	@build/peers/bin/pip install --quiet --disable-pip-version-check --no-deps browsergym-core==0.14.3 browsergym-miniwob==0.14.3
	@touch $@

.PHONY: bench-observe
bench-observe: setup $(PEERS) ## Measure a look at pages of 150, 400 and 1,200 controls beside raw CDP, BrowserGym and browser-use
	@$(PYTHON) -m benchmarks.observe $(BENCHFLAGS)

.PHONY: bench-step
bench-step: setup $(PEERS) ## Measure steps, resets, clicks, text and waits beside BrowserGym, raw CDP and Playwright (5 minutes)
	@$(PYTHON) -m benchmarks.step $(BENCHFLAGS)

.PHONY: bench-prompting
bench-prompting: setup ## Measure tokens, common prefix and number of questions of llm walks, by the oracle's actions on 40 tasks (15 minutes)
	@$(PYTHON) -m proofwalk.cli.main data collect console-278 --policy oracle --sample 40 --out build/bench/prompting
	@$(PYTHON) -m benchmarks.prompting build/bench/prompting

.PHONY: bench-revisions
bench-revisions: setup ## Compare looks, clicks, texts and steps with those of a revision, in turn (BENCHFLAGS='--before REV'; 5 minutes)
	@$(PYTHON) -m benchmarks.revisions $(BENCHFLAGS)

.PHONY: bench-sessions
bench-sessions: setup ## Measure many sessions: rate, memory, hand-out, orphans, latency at 32, and the gateway (5 minutes)
	@$(PYTHON) -m benchmarks.sessions $(BENCHFLAGS)

.PHONY: bench-devcloud
bench-devcloud: setup ## Measure the embedded cloud's API and list page with 200 resources a table
	@$(PYTHON) -m benchmarks.devcloud

.PHONY: bench-miniwob
bench-miniwob: setup ## Measure MiniWoB++ against BrowserGym's rewards (20 minutes; BENCHFLAGS='--sample 9' is a look)
	@$(PYTHON) -m benchmarks.miniwob $(BENCHFLAGS)

.PHONY: bench-replay
bench-replay: setup ## Inspect drift-200 again with replayed walks and without (hours; BENCHFLAGS='--sample 10')
	@$(PYTHON) -m benchmarks.replay $(BENCHFLAGS)

.PHONY: bench-train
bench-train: setup ## Measure an update of SmolLM2-135M, SFT and GRPO, beside TRL's (10 minutes; BENCHFLAGS='--cells all')
	@$(PYTHON) -m benchmarks.training $(BENCHFLAGS)

.PHONY: bench-excluded
bench-excluded: setup ## Measure what failures of the environment do to learning, excluded and counted as noughts (3 minutes)
	@$(PYTHON) -m benchmarks.excluded_outcomes $(BENCHFLAGS)

MODEL ?= build/models/smollm2-135m

$(MODEL):
	@$(VENV)/bin/proofwalk model fetch $(notdir $@) --out $@

.PHONY: bench-gpu
bench-gpu: setup $(MODEL) ## Measure training beside TRL, and the embedded engine, on a CUDA device (MODEL=folder; two minutes)
	@$(PYTHON) -m benchmarks.gpu $(MODEL) $(BENCHFLAGS)

.PHONY: bench-vision
bench-vision: setup ## Measure what a tiny policy that looks at pictures learns through its engine (three minutes)
	@$(PYTHON) -m benchmarks.vision $(BENCHFLAGS)

.PHONY: bench-asynchrony
bench-asynchrony: setup ## Measure how busy training keeps the environment, by step and streamed (25 minutes, mostly waiting)
	@$(PYTHON) -m benchmarks.asynchrony $(BENCHFLAGS)

.PHONY: bench-vllm
bench-vllm: setup build/vllm/.installed $(MODEL) ## Hold the vLLM engine against vLLM itself on the CPU (MODEL=folder; some minutes)
	@PROOFWALK_VLLM_PYTHON=$(CURDIR)/build/vllm/bin/python $(PYTHON) -m benchmarks.vllm $(MODEL) $(BENCHFLAGS)

.PHONY: bench-decode
bench-decode: setup $(MODEL) ## Measure a decode step of the embedded engine by rows, beside torch's attention (1 minute)
	@$(PYTHON) -m benchmarks.decoding $(MODEL) $(BENCHFLAGS)

.PHONY: bench-sharing
bench-sharing: setup $(MODEL) ## Measure an engine and a trainer on the same cores, their threads spinning and sleeping (8 minutes)
	@$(PYTHON) -m benchmarks.sharing $(BENCHFLAGS)

.PHONY: bench-map
bench-map: setup ## Explore the embedded console as shipped and with planted changes: pages, controls, writes, change report (20 minutes)
	@$(PYTHON) -m benchmarks.map $(BENCHFLAGS)

build/axe/.installed: benchmarks/console_ui/package.json benchmarks/console_ui/package-lock.json
	@mkdir -p $(@D)
	@cp $^ $(@D)/
	@cd $(@D) && npm ci --ignore-scripts --silent
	@touch $@

.PHONY: axe
axe: build/axe/.installed ## Get axe-core, by version and integrity, for looking at the web console's pages (needs npm)

.PHONY: bench-console-ui
bench-console-ui: setup axe ## Measure the web console: axe, largest paint, lists of 100,000 rows on PostgreSQL, 100 watchers (half an hour; BENCHFLAGS=--pictures)
	@$(PYTHON) -m benchmarks.console_ui $(BENCHFLAGS)

.PHONY: bench-images
bench-images: setup ## Write how large the built images are
	@$(PYTHON) -m benchmarks.images

.PHONY: bench-scheduler
bench-scheduler: setup ## Measure the sandbox scheduler against simulated machines, to 100,000 sandboxes (minutes)
	@$(PYTHON) -m benchmarks.scheduler $(BENCHFLAGS)

.PHONY: desktop-image
desktop-image: setup ## Make the desktop's image, as root (minutes; again only when what it is made from has changed)
	@$(PYTHON) -m deploy.desktop.build --out build/desktop $(DESKTOPFLAGS)

.PHONY: test-desktop
test-desktop: desktop-image ## Run the tests on real machines under QEMU
	@$(PYTHON) -m pytest -q -m desktop tests/desktop -rA --show-capture no

.PHONY: bench-desktop
bench-desktop: desktop-image ## Measure desktops: restoring, looking, typing
	@$(PYTHON) -m benchmarks.desktop $(BENCHFLAGS)

.PHONY: bench-author
bench-author: setup ## Hold rules that are written from walks beside those of persons (a quarter of an hour)
	@$(PYTHON) -m benchmarks.author $(BENCHFLAGS)

.PHONY: bench-author-model
bench-author-model: setup ## Have META written by a model that errs at a known rate (some minutes)
	@$(PYTHON) -m benchmarks.author.erring $(BENCHFLAGS)

.PHONY: bench-author-training
bench-author-training: setup ## Have META and rules written for 300 training documents (hours; BENCHFLAGS='--walk 60' walks fewer)
	@$(PYTHON) -m benchmarks.author.training $(BENCHFLAGS)

.PHONY: bench-synthesis
bench-synthesis: setup ## Have the oracle walk tasks that are made of product files alone (a quarter of an hour)
	@$(PYTHON) -m benchmarks.synthesis $(BENCHFLAGS)

.PHONY: bench-curriculum
bench-curriculum: setup ## Evolve tasks from the failures of a collection and have the oracle walk them (an hour; BENCHFLAGS='build/data/walked --sample 60')
	@$(PYTHON) -m benchmarks.curriculum $(BENCHFLAGS)

.PHONY: bench-provisioning
bench-provisioning: setup ## Provision and take back 1,000 times with faults and kills, and count what is left (hours)
	@$(PYTHON) -m benchmarks.provisioning $(BENCHFLAGS)

.PHONY: bench-determinism
bench-determinism: setup ## Have the oracle walk console-278 in four kinds of world, with META and without (hours; BENCHFLAGS='--sample 24')
	@$(PYTHON) -m benchmarks.determinism $(BENCHFLAGS)

.PHONY: bench-single-step
bench-single-step: setup ## Ask models about single decisions (BENCHFLAGS='PAIRS --model base=FOLDER --model sft=FOLDER'; minutes a model)
	@$(PYTHON) -m benchmarks.single_step $(BENCHFLAGS)

.PHONY: bench-orm
bench-orm: setup ## Ask an outcome reward model about held-out walks (BENCHFLAGS='--model FOLDER --held-out FILE'; minutes, on CUDA where there is one)
	@$(PYTHON) -m benchmarks.outcome_model $(BENCHFLAGS)

.PHONY: bench-signal
bench-signal: setup ## Measure what a GRPO run's first walks promise on other operations (BENCHFLAGS='RUN/rollouts CHECKPOINT'; 6 s a walk)
	@$(PYTHON) -m benchmarks.rollout_signal $(BENCHFLAGS)

.PHONY: bench-layouts
bench-layouts: setup ## Teach the small model the same steps in three layouts and ask it (BENCHFLAGS='SAMPLES PAIRS'; 20 minutes a layout)
	@$(PYTHON) -m benchmarks.layouts $(BENCHFLAGS)

.PHONY: bench-readings
bench-readings: setup ## Score the literal policy's reading of labelled sentences (seconds; BENCHFLAGS='--of own --show wrong' shows items)
	@$(PYTHON) -m benchmarks.readings $(BENCHFLAGS)

.PHONY: bench-guides
bench-guides: setup ## Count what is understood of guides that lie in folders (BENCHFLAGS='NAME=FOLDER … --unseen NAME'; a minute)
	@$(PYTHON) -m benchmarks.guides $(BENCHFLAGS)

.PHONY: bench-holes
bench-holes: setup ## Attack: 100,000 templates against the guard, every route under every key, costly inputs (an hour; goes on where it was)
	@$(PYTHON) -m benchmarks.holes $(BENCHFLAGS)

.PHONY: bench-injection
bench-injection: setup ## Attack the llm policy, whose model obeys every order that it reads, from 37 places (half an hour; goes on where it was)
	@$(PYTHON) -m benchmarks.injection $(BENCHFLAGS)

.PHONY: bench-escapes
bench-escapes: setup ## Try 120 ways out of a sandbox's browser, each also without the wall (Linux, as root; ten minutes)
	@$(PYTHON) -m benchmarks.escapes $(BENCHFLAGS)

.PHONY: chaos
chaos: setup ## Verify documents while parts are killed, frozen, cut off and misled, and check the history afterwards: 300 faults (hours; BENCHFLAGS='--minutes 30' goes on later)
	@$(PYTHON) -m benchmarks.chaos $(BENCHFLAGS)

.PHONY: bench-overload
bench-overload: setup ## Ask an installation for five times what it can do: goodput, refusals, memory, its neighbour's wait (20 minutes)
	@$(PYTHON) -m benchmarks.overload $(BENCHFLAGS)

.PHONY: bench-soak
bench-soak: setup ## Work off 10,000 verifications and tell what grows: memory, descriptors, rows, keys (hours; BENCHFLAGS='--jobs 1000' is a shorter life)
	@$(PYTHON) -m benchmarks.soak $(BENCHFLAGS)

.PHONY: bench-upgrade
bench-upgrade: setup ## Replace the roles of an installation at work by those of other releases, forth and back (a quarter of an hour)
	@$(PYTHON) -m benchmarks.upgrade $(BENCHFLAGS)

.PHONY: bench-leases
bench-leases: setup ## Count 100,000 steps of the lease model on each database, and 10,000 acquires (hours; BENCHFLAGS='--minutes 30' goes on later)
	@$(PYTHON) -m benchmarks.leases $(BENCHFLAGS)

.PHONY: bench-faults
bench-faults: setup ## Put every edge behind a proxy that delays, holds, half-closes, slows, resets and refuses (25 minutes; BENCHFLAGS='--only redis')
	@$(PYTHON) -m benchmarks.faults $(BENCHFLAGS)

.PHONY: bench-fuzz
bench-fuzz: setup build/schemathesis/.installed ## Fuzz the REST API of a running installation by its description (20 minutes; BENCHFLAGS='--minutes 2' is a look)
	@$(PYTHON) -m benchmarks.rest_fuzz --fuzzer build/schemathesis/bin/schemathesis $(BENCHFLAGS)

build/health/.installed: setup/health.txt
	@python3 -m venv build/health/venv
	@build/health/venv/bin/pip install -q -r setup/health.txt
	@touch $@

.PHONY: bench-health
bench-health: setup build/health/.installed ## Coverage, mutation score and flakes of the tests (most of a day; BENCHFLAGS='--parts mutation --minutes 30' goes on later)
	@$(PYTHON) -m benchmarks.health --marks '$(QUICK)' --workers $(WORKERS) $(BENCHFLAGS)

.PHONY: bench-skips
bench-skips: setup ## Walk 400 documents with one instruction in other words: is it skipped in silence? (an hour; BENCHFLAGS='--minutes 20')
	@$(PYTHON) -m benchmarks.skips $(BENCHFLAGS)

.PHONY: bench-liar
bench-liar: setup ## Are null, random and lying policies believed, with rule, without, and without log? (hours; BENCHFLAGS='--sample 10')
	@$(PYTHON) -m benchmarks.liar $(BENCHFLAGS)

.PHONY: bench-inspection
bench-inspection: setup ## Simulate ten weeks of inspecting 500 documents: walks saved at an equal delay (3 minutes)
	@$(PYTHON) -m benchmarks.inspection $(BENCHFLAGS)

.PHONY: bench-patches
bench-patches: setup ## Patch the documents of drift-200 by their findings and walk them again: which are verified? (two hours; BENCHFLAGS=--resume goes on)
	@$(PYTHON) -m benchmarks.patches $(BENCHFLAGS)

.PHONY: bench-judges
bench-judges: setup ## Measure the consensus of two judges that err at known rates, against the theory (3 minutes; BENCHFLAGS='--sample 20')
	@$(PYTHON) -m benchmarks.judges $(BENCHFLAGS)

.PHONY: field-prove
field-prove: setup ## Show that the rules of a field console hold for a person's scripted walks and for nothing near them (CONSOLE=rabbitmq; PROVEFLAGS='--only policy-*')
	@$(PYTHON) -m benchmarks.field.prove $(CONSOLE) $(PROVEFLAGS)

.PHONY: field
field: setup ## Walk the documentation of a console of somebody else's (CONSOLE=rabbitmq; FIELDFLAGS='--frozen --result'; installs it first)
	@$(PYTHON) -m benchmarks.field $(CONSOLE) $(FIELDFLAGS)

.PHONY: field-stranger
field-stranger: setup ## From nothing to a first right verdict on consoles of somebody else's: target new, then verify (STRANGERFLAGS=unleash)
	@$(PYTHON) -m benchmarks.field.stranger $(STRANGERFLAGS)

.PHONY: learn
learn: setup ## Teach a small model on this machine: collect, SFT, GRPO, evaluate (hours on two cores; goes on where it was)
	@$(VENV)/bin/proofwalk learn recipes/learn.yaml --results benchmarks/results

.PHONY: bench-methods
bench-methods: setup ## Train one checkpoint by each method at equal steps, and compare (hours; BENCHFLAGS='--only grpo:1' is one run)
	@$(VENV)/bin/proofwalk methods recipes/methods.yaml --results benchmarks/results $(BENCHFLAGS)

.PHONY: methods-smoke
methods-smoke: setup ## Every method end to end with a model of random weights, one seed (half an hour)
	@$(VENV)/bin/proofwalk methods recipes/methods-smoke.yaml

.PHONY: learn-smoke
learn-smoke: setup ## The same stages with a model of random weights on three tasks (under 5 minutes)
	@$(VENV)/bin/proofwalk learn recipes/smoke.yaml

.PHONY: lock
lock: ## Write requirements.lock from the present virtual environment, with every file's digest
	@$(PYTHON) -m setup.lock

.PHONY: clean
clean: ## Remove what builds and demos left (not the virtual environment)
	@rm -rf build .proofwalk
