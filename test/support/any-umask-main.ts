/** A gateway that lets everybody use its files, unless it takes care of them itself: main.ts, which sets the umask, is left out. */
import { readFileSync } from 'node:fs'
import pino from 'pino'
import { openApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'

process.umask(0)
const config = loadConfig(process.env, (path) => readFileSync(path, 'utf8'))
const { url, token } = await openApp(config, { logger: pino({ level: 'warn' }, process.stderr) })
process.stdout.write(`Pombo listens on ${url}\n\n${token}\n`)
