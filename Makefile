# make run and make test do their own set-up. make help lists the other targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help run build hbase check test lint generate released web differential oracle nulls conformance fuzzdocuments kill killservers secure rolling stopped events soak bench cluster lab fuzz audit licenses reproducible package chromium clean

IDE := graph/playground/dist/index.html
WEB := examples/web/dist/index.html
SECRET := .cache/jwt.secret
VENV := .cache/venv/requirements.txt
PACKAGE_VENV := .cache/package/venv
PACKAGE := $(PACKAGE_VENV)/requirements.txt
PACKAGE_TOOLS := .cache/package/goreleaser
DEPLOY_TOOLS := .cache/package/promtool
GENQLIENT := e2e/clients/genqlient
LINT := .cache/golangci-lint
RELEASED := graph/schema/testdata/released.graphql
CLIENTS := e2e/clients/node_modules/.package-lock.json
# Runs a command and prints its duration; .ci/run lists the slowest.
timed = TIMEFORMAT='part: %R s  $(1)'; time $(1)

help: ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1|\2/p' Makefile | column -t -s '|'

run: build $(SECRET) ## twibase on http://127.0.0.1:8080 with the embedded store in data/ (with a sample if it is empty)
	@echo 'To act as LiLei from a shell, send the token that this prints: bin/twibase token LiLei --jwt-secret-file $(SECRET)'
	bin/twibase serve --store embedded:data --jwt-secret-file $(SECRET) --dev-tokens

build: $(IDE) ## bin/twibase, with the IDE
	go build -trimpath -buildvcs=auto -o bin/twibase .

hbase: ## a real HBase with three region servers, from Maven's artifacts, until Ctrl-C
	go run ./hbase/hbasetest/minihbase/cmd

test: ## lint and all tests, also on a real HBase and in a real browser
	@$(MAKE) -j 2 lint examples/web/node_modules/.package-lock.json $(CLIENTS) $(VENV) chromium # lint runs while npm and pip download
	@$(MAKE) $(IDE) $(WEB)
	$(call timed,env CI=true go test -vet=off -p $$(($$(getconf _NPROCESSORS_ONLN) + 1)) -timeout 20m $(TESTFLAGS) ./e2e ./hbase/cluster ./writers/... ./...) # many tests mostly wait; the longest packages first
	$(call timed,go -C bench test -vet=off $(TESTFLAGS) ./...)
	$(call timed,$(MAKE) killservers SERVERS=1) # alone, because it measures time
	$(call timed,$(MAKE) soak SOAK=30s)
	@scripts/audit || [ $$? = 3 ] # 3: a database cannot be reached; the script and .ci/run say so

check: ## before a commit: lint and the unit tests, without HBase, browser or end-to-end tests
	@$(MAKE) lint
	@$(call timed,go test -short $(TESTFLAGS) $$(go list ./... | grep -v /e2e))

lint: $(LINT) node_modules/.package-lock.json ## golangci-lint (.golangci.yml); generated code is fresh; the schema breaks no client of the last release
	@$(call timed,$(LINT) run)
	@cd bench && $(call timed,$(CURDIR)/$(LINT) run)
	@$(call timed,go -C $(GENQLIENT) vet ./...)
	@$(call timed,scripts/generated)
	@node scripts/compatibility.mjs $(RELEASED) graph/schema/testdata/accepted.txt graph/schema/*.graphqls
	@scripts/licenses | diff docs/LICENSES.md - || { echo 'docs/LICENSES.md is stale, or a licence is not permitted: make licenses'; exit 1; }
	@! grep -n '"resolved"' package-lock.json {e2e/clients,examples/web}/package-lock.json || { echo 'a lock file names a registry: run npm install again in its folder, with the options of .npmrc'; exit 1; }
	@go mod tidy -diff
	@go -C $(GENQLIENT) mod tidy -diff
	@go -C bench mod tidy -diff
	@go -C scripts/tools mod tidy -diff

generate: ## the code that gqlgen and genqlient generate
	go generate ./graph/...
	go -C $(GENQLIENT) tool genqlient

released: ## before the tag of a release: stores its schema, for the comparison of later schemas by make lint
	go run . schema > $(RELEASED).tmp && mv $(RELEASED).tmp $(RELEASED)
	sed -n 1,2p graph/schema/testdata/accepted.txt > $(RELEASED).tmp && mv $(RELEASED).tmp graph/schema/testdata/accepted.txt

web: $(WEB) ## the example of a front end, for any static server, in examples/web/dist

differential: ## compares the embedded engine with a real HBase on a million random operations
	CI=true OPERATIONS=1000000 go test -count 1 -timeout 0 -v ./hbase/hbasetest/differential

oracle: ## compares the plan with gqlgen's executor on a million random queries
	go test -count 1 -timeout 0 -v -run TestExecutors ./e2e -compared 1000000

nulls: ## checks on 100,000 random queries with store errors that @semanticNonNull is exactly where null comes with an error (QUERIES)
	go test -count 1 -timeout 0 -v -run TestSemanticNonNull ./e2e -nulled $${QUERIES:-100000}

conformance: node_modules/.package-lock.json ## compares twibase with graphql-js on 20,000 random documents (DOCUMENTS)
	CI=true go test -count 1 -timeout 0 -v -run 'TestResponsesConform|TestIntended' ./e2e/conformance -documents $${DOCUMENTS:-20000}

fuzzdocuments: ## looks for internal errors and panics with a million random documents (DOCUMENTS)
	CI=true go test -count 1 -timeout 0 -v -run TestNoDocumentIsAnInternalError ./e2e/conformance -fuzzed $${DOCUMENTS:-1000000}

kill: ## kills a gateway 500 times under writes, and checks all acknowledged changes (KILLS)
	CI=true go test -count 1 -timeout 0 -v -run TestKilledGateways ./e2e/kill -kills $${KILLS:-500}

killservers: ## kills the region servers of a real HBase one after the other, and one of two gateways (SERVERS; TLS=true; KERBEROS=privacy)
	CI=true go test -count 1 -timeout 0 -v -run TestKilledRegionServers ./e2e/kill -servers $${SERVERS:-3} -tls=$${TLS:-false} -kerberos=$${KERBEROS:-}

secure: ## tests the conformance of the store, and kills a region server, with each protection of Kerberos and with TLS
	CI=true go test -count 1 -timeout 0 -v -run 'OverKerberos|OverTLS' ./hbase/cluster -secure
	for protection in authentication integrity privacy; do $(MAKE) killservers SERVERS=1 KERBEROS=$$protection || exit 1; done
	$(MAKE) killservers SERVERS=1 TLS=true
	$(MAKE) killservers SERVERS=1 TLS=true KERBEROS=authentication

rolling: ## upgrades two gateways on a real HBase under writes from another commit to this one, back, and again (PREVIOUS)
	CI=true go test -count 1 -timeout 15m -v -run TestRollingUpgrade ./e2e/kill -previous $${PREVIOUS:-HEAD~1}

stopped: ## stops and kills region servers of a real HBase, and prints the responses of a gateway per second
	CI=true go test -count 1 -timeout 10m -v -run TestGatewayRecoversFromStopped ./e2e/kill -stopped

events: ## measures how long readers and writers fail when regions move, split and merge, and servers end; fails if it is 2 s longer than with HBase's own client (EVENTS)
	CI=true go test -count 1 -timeout 30m -v -run TestOutagesAtClusterEvents ./e2e/kill -events "$${EVENTS:-.}"

soak: ## half an hour of reads, writes, attacks and subscriptions on a real HBase with failing region servers (SOAK)
	CI=true go test -count 1 -timeout 2h -v -run TestMemoryStaysBounded ./e2e -soak $${SOAK:-30m}

bench: ## compares twibase with gqlgen's executor and a handwritten program, on both engines, with growing data
	go -C bench run .

cluster: ## compares twibase with a gateway in Java, by a nested query on a real HBase with the data of TWIBASE_DATA
	go -C bench run ./cluster

lab: ## compares table designs on both engines, and writes the results into docs/LAB.md and docs/lab
	go -C bench run ./lab

fuzz: ## each fuzz test with half a million inputs (INPUTS)
	scripts/fuzz $${INPUTS:-500000}

audit: ## known vulnerabilities of all dependencies; status 3 if a database cannot be reached
	scripts/audit

licenses: ## writes the licences of the dependencies into docs/LICENSES.md
	scripts/licenses > docs/LICENSES.md

reproducible: $(IDE) ## checks that two builds, one with an empty cache, are the same bytes
	scripts/reproducible

package: build $(PACKAGE) $(PACKAGE_TOOLS) $(DEPLOY_TOOLS) ## checks the image, starts it in a chroot (needs root), checks the Helm chart and the Compose file, and builds a snapshot of a release
	$(PACKAGE_VENV)/bin/hadolint Dockerfile deploy/hbase.Dockerfile
	scripts/image
	scripts/chart
	scripts/compose
	go -C scripts/package mod tidy -diff
	go -C scripts/tools/deploy mod tidy -diff
	PATH=$(CURDIR)/.cache/package:$$PATH; goreleaser check; goreleaser release --snapshot --clean

chromium: ## installs Debian's browser for the browser test
	@scripts/chromium

clean: ## removes everything that make built, but not data/
	rm -rf bin .cache/twibase{,.lock} node_modules {e2e/clients,examples/web}/{node_modules,__generated__,*/__generated__} $(dir $(WEB)) $(dir $(VENV)) graph/playground/dist/{assets,index.html}

node_modules/.package-lock.json: package.json package-lock.json .npmrc
	npm ci
	touch $@

$(CLIENTS): e2e/clients/package.json e2e/clients/package-lock.json .npmrc
	cd e2e/clients && npm ci
	touch $@

$(IDE): node_modules/.package-lock.json $(wildcard graph/playground/ide/* graph/playground/examples graph/playground/examples/*)
	node graph/playground/ide/build.mjs

examples/web/node_modules/.package-lock.json: examples/web/package.json examples/web/package-lock.json examples/web/.npmrc
	cd examples/web && npm ci
	touch $@

$(WEB): examples/web/node_modules/.package-lock.json $(wildcard graph/schema/*.graphqls examples/web/src/*.* examples/web/*.*)
	mkdir -p examples/web/__generated__
	go run . schema > examples/web/__generated__/schema.graphql
	cd examples/web && npm run --silent build

$(VENV): e2e/clients/python/requirements.txt
	python3 -m venv --clear $(@D)
	$(@D)/bin/pip install -q --disable-pip-version-check --only-binary :all: -r $<
	cp $< $@

$(PACKAGE): scripts/package/requirements.txt
	python3 -m venv --clear $(@D)
	$(@D)/bin/pip install -q --disable-pip-version-check --only-binary :all: -r $<
	cp $< $@

$(PACKAGE_TOOLS): scripts/package/go.mod
	go -C $(<D) build -o $(CURDIR)/$(@D)/ tool

$(DEPLOY_TOOLS): scripts/tools/deploy/go.mod $(wildcard scripts/tools/deploy/*/*.go)
	go -C $(<D) build -o $(CURDIR)/$(@D)/ tool

$(LINT): scripts/tools/go.mod
	go -C $(<D) build -o $(CURDIR)/$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(SECRET):
	mkdir -p $(@D)
	(umask 077 && head -c 32 /dev/urandom | base64 > $@)
