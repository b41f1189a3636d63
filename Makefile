# make run and make test are all that a newcomer needs: each does its own set-up. The rest is listed by make help.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help run build hbase check test lint generate differential oracle conformance fuzzdocuments kill killservers stopped soak bench cluster lab fuzz audit licenses reproducible chromium clean

IDE := graph/playground/dist/index.html
SECRET := .cache/jwt.secret
VENV := .cache/venv/requirements.txt
GENQLIENT := e2e/clients/genqlient
CLIENTS := e2e/clients/node_modules/.package-lock.json
# Runs a command and says how long it took; .ci/run looks for the slowest.
timed = TIMEFORMAT='part: %R s  $(1)'; time $(1)

help: ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1|\2/p' Makefile | column -t -s '|'

run: build $(SECRET) ## twibase on http://127.0.0.1:8080, on the embedded store in data/, with a sample in it if it is empty
	@echo 'To be LiLei, put into the headers the token that this prints: bin/twibase token LiLei --jwt-secret-file $(SECRET)'
	bin/twibase serve --store embedded:data --jwt-secret-file $(SECRET)

build: $(IDE) ## bin/twibase, with the IDE in it
	go build -trimpath -buildvcs=auto -o bin/twibase .

hbase: ## a real HBase with three region servers, from Maven's artifacts, until Ctrl-C
	go run ./hbase/hbasetest/minihbase/cmd

test: lint $(IDE) $(CLIENTS) $(VENV) chromium ## everything that must hold: lint and all tests, on a real HBase and in a real browser too
	$(call timed,env CI=true go test -timeout 20m $(TESTFLAGS) ./...)
	$(call timed,go -C bench test $(TESTFLAGS) ./...)
	$(call timed,$(MAKE) killservers SERVERS=1) # by themselves, as they tell of time
	$(call timed,$(MAKE) soak SOAK=30s)
	@scripts/audit || [ $$? = 3 ] # what can't be checked here is said so, and by .ci/run once more
	$(call timed,scripts/fuzz 10000)

check: ## before a commit: what lint checks, and the tests that need no HBase and no browser
	@$(MAKE) lint
	@$(call timed,go test -short $(TESTFLAGS) ./...)

lint: ## gofmt, go vet, staticcheck; generated code is fresh; the npm lock files name no registry
	@$(call timed,scripts/gofmt)
	@$(call timed,go vet ./...)
	@$(call timed,go -C $(GENQLIENT) vet ./...)
	@$(call timed,go -C bench vet ./...)
	@$(call timed,go tool staticcheck ./...)
	@$(call timed,go -C bench tool staticcheck ./...)
	@$(call timed,scripts/generated)
	@scripts/licenses | diff docs/LICENSES.md - || { echo 'docs/LICENSES.md is old, or something may not go into the binary: make licenses'; exit 1; }
	@! grep -n '"resolved"' package-lock.json e2e/clients/package-lock.json || { echo 'a lock file names a registry: run npm install again in its folder, .npmrc says how'; exit 1; }
	@go mod tidy -diff
	@go -C $(GENQLIENT) mod tidy -diff
	@go -C bench mod tidy -diff

generate: ## what gqlgen makes of the schema, and genqlient of a test program's operations
	go run ./graph/plan/generate
	go generate ./graph/plan/example
	go -C $(GENQLIENT) tool genqlient

differential: ## a million random operations on the embedded engine and on a real HBase
	CI=true OPERATIONS=1000000 go test -count 1 -timeout 0 -v ./hbase/hbasetest/differential

oracle: ## a million random queries, answered by the plan and by gqlgen's executor
	go test -count 1 -timeout 0 -v -run TestExecutors ./e2e -compared 1000000

conformance: node_modules/.package-lock.json ## twibase and graphql-js on 20,000 random documents (DOCUMENTS)
	CI=true go test -count 1 -timeout 0 -v -run 'TestConformance|TestIntended' ./e2e/conformance -documents $${DOCUMENTS:-20000}

fuzzdocuments: ## no internal error and no panic on a million random documents (DOCUMENTS)
	CI=true go test -count 1 -timeout 0 -v -run TestNoDocumentIsAnInternalError ./e2e/conformance -fuzzed $${DOCUMENTS:-1000000}

kill: ## kills a gateway five hundred times while it is written to, and looks what became of what it acknowledged
	CI=true go test -count 1 -timeout 0 -v -run TestKilledGateways ./e2e/kill -kills $${KILLS:-500}

killservers: ## kills the region servers of a real HBase of five processes one after the other, and then one of two gateways
	CI=true go test -count 1 -timeout 0 -v -run TestKilledRegionServers ./e2e/kill -servers $${SERVERS:-3}

stopped: ## stops and kills region servers of a real HBase of five processes, and prints second by second what a gateway answers meanwhile
	CI=true go test -count 1 -timeout 10m -v -run TestStoppedRegionServers ./e2e/kill -stopped

soak: ## half an hour of reads, writes, attacks and subscriptions, over a real HBase whose region servers stop again and again
	CI=true go test -count 1 -timeout 2h -v -run TestSoak ./e2e -soak $${SOAK:-30m}

bench: ## what twibase costs, as ratios within one run: beside gqlgen's executor and a program written by hand, on both engines, as data grow
	go -C bench run .

cluster: ## what a nested question costs on a real HBase, beside a gateway in Java, with the data of TWIBASE_DATA
	go -C bench run ./cluster

lab: ## compares designs of tables on both engines, and writes what comes out into docs/LAB.md
	go -C bench run ./lab

fuzz: ## every fuzz test in turn, with INPUTS inputs each (half a million)
	scripts/fuzz $${INPUTS:-500000}

audit: ## known vulnerabilities in what the binary and the IDE are made of, and the JavaScript clients of tests; the status is 3 where nobody can tell
	scripts/audit

licenses: ## the licences of what the binary and the IDE are made of, into docs/LICENSES.md
	scripts/licenses > docs/LICENSES.md

reproducible: $(IDE) ## two builds in two folders, one of them from nothing, are the same bytes
	scripts/reproducible

chromium: ## Debian's browser, which the browser test drives
	@scripts/chromium

clean: ## removes what make made; the data in data/ stays
	rm -rf bin node_modules e2e/clients/{node_modules,__generated__,*/__generated__} $(dir $(VENV)) graph/playground/dist/{assets,index.html}

node_modules/.package-lock.json: package.json package-lock.json .npmrc
	npm ci
	touch $@

$(CLIENTS): e2e/clients/package.json e2e/clients/package-lock.json .npmrc
	cd e2e/clients && npm ci
	touch $@

$(IDE): node_modules/.package-lock.json $(wildcard graph/playground/ide/* graph/playground/examples graph/playground/examples/*)
	node graph/playground/ide/build.mjs

$(VENV): e2e/clients/python/requirements.txt
	python3 -m venv --clear $(@D)
	$(@D)/bin/pip install -q --disable-pip-version-check --only-binary :all: -r $<
	cp $< $@

$(SECRET):
	mkdir -p $(@D)
	(umask 077 && head -c 32 /dev/urandom | base64 > $@)
