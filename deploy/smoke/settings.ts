/** The settings of the gateway that is tried out: one provider of each kind that has a thread of its own. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Env = Readonly<Record<string, string>>
/** `submission` is where the gateway takes mail. */
export type Ports = Readonly<{ smtp: number; http: number; submission: number }>

/** Mail to this domain goes through SES, all other mail by SMTP. */
export const BY_SES = 'ses.example'

export function settingsFor(folder: string, ports: Ports): Env {
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify(toConfig(ports)))
  return {
    ...(process.env as Env),
    POMBO_CONFIG: config,
    POMBO_DATA_DIR: join(folder, 'data'),
    POMBO_HOST: '127.0.0.1',
    POMBO_PORT: '0',
    POMBO_LOG_LEVEL: 'warn',
    POMBO_SMTP_PORT: String(ports.submission),
    POMBO_BOUNCE_DOMAIN: 'bounces.example',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${ports.http}`,
  }
}

function toConfig({ smtp, http }: Pick<Ports, 'smtp' | 'http'>): object {
  const from = 'Smoke test <smoke@pombo.example>'
  const ses = {
    region: 'eu-west-1',
    access_key_id: 'AKIDEXAMPLE',
    secret_access_key: 'not-a-secret',
    endpoint: `http://127.0.0.1:${http}`,

    from,
  }
  return {
    providers: [
      { name: 'simulator', kind: 'simulator' },
      { name: 'smtp', kind: 'smtp', settings: { host: '127.0.0.1', port: smtp, tls: 'none', from } },
      { name: 'ses', kind: 'ses', settings: ses },
    ],
    routes: [
      { id: 'sms', channel: 'sms', providers: ['simulator'] },
      { id: 'smtp', channel: 'email', providers: ['smtp'] },
      { id: 'ses', channel: 'email', prefix: BY_SES, providers: ['ses'] },
    ],
  }
}
