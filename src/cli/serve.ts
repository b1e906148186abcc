/** `pombo serve`: runs the gateway until it is told to stop. What a person needs goes to stdout, logs to stderr. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Logger } from 'pino'
import { type Config, loadConfig } from '../config/config.ts'
import { rolesOf } from '../config/settings.ts'
import { defineCommand } from './command.ts'
import { CommandError, EXIT, findInCauses } from './exit.ts'
import { paint } from './render.ts'
import type { App, Output, World } from './world.ts'

export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the gateway. Its settings come from the environment: docs/configuration.md.',
  options: { roles: { value: 'ROLES', about: 'what this process does of the work (POMBO_ROLES)' } },
  async run(world, { roles }) {
    const config = loadConfig({ ...world.env, ...(roles === undefined ? {} : { POMBO_ROLES: roles }) }, world.readFile)
    const logger = await world.openLogger(config.logLevel)
    for (const warning of config.warnings) logger.warn(warning)
    if (config.profile === 'embedded' && !rolesOf(config).has('worker')) logger.warn(NOT_SENDING)

    const stop = world.stopSignal()
    const app = await open(world, config, logger)
    world.out.write(toBanner(world.out, app, rolesOf(config).has('api')))
    if (!stop.aborted) await once(stop, 'abort')
    logger.info('stopping: what is in flight is finished, the rest handed back')
    await app.close()
    return EXIT.ok
  },
})

const NOT_SENDING = 'messages are accepted and not sent, because POMBO_ROLES leaves out worker'

async function open(world: World, config: Config, logger: Logger): Promise<App> {
  try {
    return await world.openApp(config, { logger })
  } catch (error) {
    throw toListenError(config, error) ?? error
  }
}

/** Why a port could not be had, by the code the system gives. */
function toListenError({ host, port }: Config, error: unknown): CommandError | undefined {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is in use; stop what listens there, or set POMBO_PORT to another (0 takes any free one)`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; correct POMBO_HOST`,
    ENOTFOUND: `${host} is not the name of any machine; correct POMBO_HOST`,
  }
  const sentence = reasons[String(findInCauses(error, 'code'))]
  return sentence === undefined ? undefined : new CommandError(EXIT.unavailable, sentence, error)
}

/** Whoever reads the terminal may have the token: the console takes it from the link, of which no server is told. */
function toBanner(out: Output, { url, token }: App, servesApi: boolean): string {
  const title = (text: string): string => paint(out, 'bold', text)
  const page = `${title('Console')}  ${url}/console/${token === undefined ? '' : `#token=${token}`}`
  if (token === undefined) {
    return `${title('Pombo listens on')} ${url}\n${servesApi ? `${page}\n` : ''}${title('API')} ${url}/docs\n`
  }
  return `${title('Pombo listens on')} ${url}

${page}

${title('A token for trying it out')} (\`npx pombo token\` makes another)
${token}

${title('Send a message')}
${toCurl(url, token)}

${title('Then')} \`npx pombo tail\` follows it, \`npx pombo search\` finds it, ${url}/docs shows the whole API.
`
}

/** One line that works when pasted. Pasted twice it sends once: the key is the same. */
function toCurl(url: string, token: string): string {
  const body = JSON.stringify({ to: '+15005550100', message: 'Hello from Pombo' })
  return [
    `curl -sS -X POST ${url}/v1/sms/send`,
    `-H 'Authorization: Bearer ${token}'`,
    `-H 'Content-Type: application/json'`,
    `-H 'Idempotency-Key: hello-${randomUUID().slice(0, 8)}'`,
    `-d '${body}'`,
  ].join(' ')
}
