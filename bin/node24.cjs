/**
 * Runs this process again under the Node that Pombo needs, when the one that started it is older.
 * Plain CommonJS that any Node can read. The binary comes with an optional dependency.
 */
'use strict'
const { spawn } = require('node:child_process')
const { join } = require('node:path')

const NEEDED = [24, 12]

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])
}

function bundledNode() {
  try {
    return require.resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    console.error(`pombo: needs Node ${NEEDED.join('.')} or newer, and this is ${process.version}.`)
    console.error(`pombo: no bundled Node for ${process.platform}-${process.arch}; install one from https://nodejs.org`)
    process.exit(78)
  }
}

/** Where Node keeps what it has compiled, so that the next start need not: it saves about 50 MB of memory. */
const CACHE = join(__dirname, '../node_modules/.cache/node')

/** Runs `args` with the right Node; its exit code and signals become ours. */
function runNode(args) {
  const node = isNewEnough(process.versions.node) ? process.execPath : bundledNode()
  const env = { NODE_COMPILE_CACHE: CACHE, ...process.env }
  const child = spawn(node, args, { stdio: 'inherit', env })
  const forward = (signal) => child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward)
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

module.exports = { runNode }

if (require.main === module) runNode(process.argv.slice(2))
