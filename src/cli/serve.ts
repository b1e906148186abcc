/** `pombo serve`: runs the gateway until SIGINT or SIGTERM. The banner goes to stdout, logs go to stderr. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Logger } from 'pino'
import { type Config, loadConfig } from '../config/config.ts'
import { rolesOf } from '../config/settings.ts'
import { smtpListenerOf } from '../config/smtp-listener-settings.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { defineCommand } from './command.ts'
import { CommandError, EXIT, findInCauses } from './exit.ts'
import { paint } from './render.ts'
import { openSystemd } from './systemd.ts'
import type { App, Output, World } from './world.ts'

export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the gateway, configured by environment variables (docs/configuration.md).',
  options: { roles: { value: 'ROLES', about: 'roles of this process (POMBO_ROLES)' } },
  async run(world, { roles }) {
    const config = loadConfig({ ...world.env, ...omitUndefined({ POMBO_ROLES: roles }) }, world.readFile)
    const logger = await world.openLogger(config.logLevel)
    for (const warning of config.warnings) logger.warn(warning)
    if (config.profile === 'embedded' && !rolesOf(config).has('worker')) logger.warn(NOT_SENDING)

    const stop = world.stopSignal()
    await using systemd = openSystemd(world, logger)
    const app = await open(world, config, logger)
    world.out.write(toBanner(world.out, app, rolesOf(config).has('api')))
    systemd.listening(app.url)
    if (!stop.aborted) await once(stop, 'abort')
    systemd.stopping()
    logger.info('serve: shutting down, finishing what is in flight')
    await app.close()
    return EXIT.ok
  },
})

const NOT_SENDING = 'serve: messages are accepted but not sent, because POMBO_ROLES does not include worker'

async function open(world: World, config: Config, logger: Logger): Promise<App> {
  try {
    return await world.openApp(config, { logger })
  } catch (error) {
    throw toListenError(config, error) ?? error
  }
}

/** Explains why the gateway cannot listen, by the error code of the system. */
function toListenError(config: Config, error: unknown): CommandError | undefined {
  const { host, port, hostSetting, portSetting } = listenerOf(config, error)
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} on ${host} is in use; stop the program that uses it, or set ${portSetting} to another port (0 means any free port)`,
    EACCES: `port ${port} on ${host} needs privileges; set ${portSetting} to a port above 1023, or give the process CAP_NET_BIND_SERVICE`,
    EADDRNOTAVAIL: `${host} is not an address of this machine; correct ${hostSetting}`,
    ENOTFOUND: `${host} cannot be resolved; correct ${hostSetting}`,
  }
  const reason = reasons[String(findInCauses(error, 'code'))]
  return reason === undefined ? undefined : new CommandError(EXIT.unavailable, reason, error)
}

type Listening = Readonly<{ host: string; port: number; hostSetting: string; portSetting: string }>

/** The listener that failed, by the port or the host that the system names. */
function listenerOf(config: Config, error: unknown): Listening {
  const http = { host: config.host, port: config.port, hostSetting: 'POMBO_HOST', portSetting: 'POMBO_PORT' }
  const others = smtpListenerOf(config)?.ports.map(({ port, isImplicitTls }) => ({
    host: config.smtpHost ?? config.host,
    port,
    hostSetting: config.smtpHost === undefined ? 'POMBO_HOST' : 'POMBO_SMTP_HOST',
    portSetting: isImplicitTls ? 'POMBO_SMTPS_PORT' : 'POMBO_SMTP_PORT',
  }))
  const [port, host] = [findInCauses(error, 'port'), findInCauses(error, 'hostname')]
  return [http, ...(others ?? [])].find((one) => (port === undefined ? one.host === host : one.port === port)) ?? http
}

/** The console reads the token from the fragment of the link, which browsers do not send to any server. */
function toBanner(out: Output, { url, token }: App, servesApi: boolean): string {
  const title = (text: string): string => paint(out, 'bold', text)
  const page = `${title('Console')}  ${url}/console/${token === undefined ? '' : `#token=${token}`}`
  if (token === undefined) {
    return `${title('Pombo listens on')} ${url}\n${servesApi ? `${page}\n` : ''}${title('API')} ${url}/docs\n`
  }
  return `${title('Pombo listens on')} ${url}

${page}

${title('Token for trying it out')} (\`npx pombo token\` prints another)
${token}

${title('Send a message')}
${toCurl(url, token)}

${title('Then')} follow it with \`npx pombo tail\`, find it with \`npx pombo search\`, or read the API at ${url}/docs.
`
}

/** One line to paste. Pasting it twice sends once, because the idempotency key is the same. */
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
