import { mkdirSync, writeFileSync, existsSync } from "node:fs";
const P = {
  kernel: { deps: [], ext: { nanoid: "5.1.16" }, sub: ["system", "testing"], tag: "kernel" },
  protocol: { deps: ["kernel"], ext: { zod: "4.6.7" }, tag: "protocol" },
  dag: { deps: ["kernel", "protocol"], tag: "core" },
  watchdog: { deps: ["kernel", "protocol"], tag: "core" },
  breaker: { deps: ["kernel", "protocol"], tag: "core" },
  budget: { deps: ["kernel", "protocol"], tag: "core" },
  ports: { deps: ["kernel", "protocol", "budget"], sub: ["testing"], tag: "ports" },
  bus: { deps: ["kernel", "protocol", "ports"], ext: { mitt: "3.0.1" }, tag: "logic" },
  llm: { deps: ["kernel", "protocol", "budget", "ports"], tag: "logic" },
  agent: { deps: ["kernel", "protocol"], tag: "logic" },
  runner: {
    deps: ["kernel", "protocol", "watchdog", "breaker", "budget", "ports", "bus", "llm", "agent"],
    tag: "logic",
  },
  orchestrator: { deps: ["kernel", "protocol", "dag", "budget", "ports", "bus"], tag: "logic" },
  client: { deps: ["kernel", "protocol"], tag: "logic" },
  expressions: { deps: ["kernel", "protocol", "dag", "ports"], tag: "adapter" },
  "queue-bullmq": {
    deps: ["kernel", "protocol", "ports"],
    ext: { bullmq: "6.7.0", pg: "8.23.0" },
    tag: "adapter",
  },
  "store-postgres": {
    deps: ["kernel", "protocol", "budget", "ports"],
    ext: { pg: "8.23.0", "@electric-sql/pglite": "0.5.17" },
    tag: "adapter",
  },
  "llm-providers": { deps: ["kernel", "protocol", "ports"], ext: {}, tag: "adapter" },
  transport: { deps: ["kernel", "protocol", "ports"], ext: { undici: "7.30.2" }, tag: "adapter" },
  telemetry: { deps: ["kernel", "protocol", "ports"], ext: { pino: "10.4.0" }, tag: "adapter" },
};
const all = Object.keys(P);
const A = {
  server: { deps: all, ext: { fastify: "5.12.8" } },
  worker: { deps: all },
  cli: { deps: [...all], apps: ["server", "worker"], ext: { commander: "14.0.3" } },
};
const ref = (n) => ({ path: `../${n}/tsconfig.build.json` });
const exp = (f) => ({
  "@bridle/source": `./src/${f}.ts`,
  types: `./dist/${f}.d.ts`,
  default: `./dist/${f}.js`,
});
function write(dir, name, { deps, ext = {}, sub = [], tag, refs }) {
  mkdirSync(`${dir}/src`, { recursive: true });
  mkdirSync(`${dir}/test`, { recursive: true });
  const exports = { ".": exp("index") };
  for (const s of sub) exports[`./${s}`] = exp(`${s}/index`);
  const dependencies = Object.fromEntries(
    [...deps.map((d) => [`@bridle/${d}`, "0.1.0"]), ...Object.entries(ext)].sort(),
  );
  writeFileSync(
    `${dir}/package.json`,
    JSON.stringify(
      {
        name: `@bridle/${name}`,
        version: "0.1.0",
        private: true,
        license: "MIT",
        files: ["dist", "src"],
        type: "module",
        sideEffects: false,
        exports,
        scripts: { build: "tsc -b tsconfig.build.json" },
        dependencies,
        engines: { node: ">=20.19" },
      },
      null,
      2,
    ) + "\n",
  );
  writeFileSync(
    `${dir}/turbo.json`,
    JSON.stringify({ extends: ["//"], tags: [tag] }, null, 2) + "\n",
  );
  writeFileSync(
    `${dir}/tsconfig.build.json`,
    JSON.stringify(
      {
        extends: dir.startsWith("fake") ? "../tsconfig.base.json" : "../../tsconfig.base.json",
        compilerOptions: { rootDir: "src", outDir: "dist", tsBuildInfoFile: "dist/.tsbuildinfo" },
        include: ["src"],
        references: refs,
      },
      null,
      2,
    ) + "\n",
  );
  for (const f of ["index", ...sub.map((s) => `${s}/index`)]) {
    mkdirSync(`${dir}/src/${f}`.replace(/\/index$/, ""), { recursive: true });
    if (!existsSync(`${dir}/src/${f}.ts`)) writeFileSync(`${dir}/src/${f}.ts`, "export {};\n");
  }
}
for (const [n, p] of Object.entries(P)) write(`packages/${n}`, n, { ...p, refs: p.deps.map(ref) });
for (const [n, p] of Object.entries(A))
  write(`apps/${n}`, n, {
    ...p,
    deps: [...p.deps, ...(p.apps ?? [])],
    tag: "app",
    refs: [
      ...p.deps.map((d) => ({ path: `../../packages/${d}/tsconfig.build.json` })),
      ...(p.apps ?? []).map(ref),
    ],
  });
write("fake-agents", "fake-agents", {
  deps: all,
  tag: "app",
  refs: all.map((d) => ({ path: `../packages/${d}/tsconfig.build.json` })),
});
