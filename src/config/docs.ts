/** docs/configuration.md, written from the schemas that are enforced; a test fails when it drifts. */
import type { TObject, TSchema } from 'typebox'
import { SETTINGS } from './config.ts'
import { type FileNote, FileSchema, KINDS } from './file-schema.ts'

/** Stands for the environment variable of that name. */
const variable = (name: string): string => `\${${name}}`

/** A file that uses what most people need; a test loads it. */
export const EXAMPLE_FILE = {
  providers: [
    { name: 'first', kind: 'simulator', settings: { receipt_delay_ms: 200 } },
    {
      name: 'second',
      kind: 'twilio',
      settings: {
        account_sid: variable('TWILIO_ACCOUNT_SID'),
        auth_token: variable('TWILIO_AUTH_TOKEN'),
        from: '+15005550006',
      },
    },
  ],
  routes: [
    { id: 'default', channel: 'sms', providers: ['first', 'second'] },
    {
      id: 'brazil',
      channel: 'sms',
      prefix: '+55',
      providers: ['second', 'first'],
      retry: { delays_seconds: [1, 5, 30], max_attempts: 4, jitter: 0.25 },
      unknown: { wait_seconds: 30, policy: 'failover' },
    },
  ],
}

export const renderConfigurationDocs = (): string => `# Configuration

<!-- Generated from src/config.ts, src/config/file-schema.ts and src/providers by "npm run docs". Do not edit. -->

Settings come from the environment; an empty variable counts as one that is not set. Pombo does not
start with a wrong setting: it names the setting, what is wrong with its value and the fix, and exits
with 78. A variable that begins with \`POMBO_\` and is not listed here draws a warning.

## Environment

${table(
  ['variable', 'default', 'must be', 'what it does'],
  SETTINGS.map(([, { env, default: value, must, description }]) => [
    `\`${env}\``,
    value === undefined ? '' : `\`${value}\``,
    must,
    description,
  ]),
)}

## The file

\`POMBO_CONFIG\` names a JSON file. Any string in it of the form \`\${NAME}\` stands for the environment
variable \`NAME\`, which must then be set: that is the place for secrets. Without \`providers\` there is
one, \`simulator\`; without \`routes\` there is one, \`default\`, that takes every SMS to the providers in
the order of the file.

${Object.entries(FileSchema.properties)
  .map(([key, list]) => `### \`${key}\`: a list of\n\n${fileTable(list.items)}`)
  .join('\n\n')}

### Kinds of provider, and their \`settings\`

Those that have a setting \`callbacks\` report to \`{POMBO_PUBLIC_URL}/v1/callbacks/{name}\`, and what they
did not sign is refused.

${Object.entries(KINDS)
  .map(([kind, { description, settings }]) => `#### \`${kind}\`\n\n${description}\n\n${fileTable(settings)}`)
  .join('\n\n')}

An example:

\`\`\`json
${JSON.stringify(EXAMPLE_FILE, null, 2)}
\`\`\`
`

const fileTable = (object: TObject): string =>
  table(
    ['key', 'must be', 'what it does'],
    keysOf(object, '').map(({ path, note, isNeeded }) => [
      `\`${path}\`${isNeeded ? ' (needed)' : ''}`,
      note.must,
      note.description,
    ]),
  )

type Key = Readonly<{ path: string; note: FileNote; isNeeded: boolean }>

function keysOf(object: TObject, parent: string): Key[] {
  return Object.entries<TSchema>(object.properties).flatMap(([key, schema]) => {
    const path = `${parent}${key}`
    const isNeeded = ((object.required ?? []) as readonly string[]).includes(key)
    const inner = 'properties' in schema ? keysOf(schema as TObject, `${path}.`) : []
    return [{ path, note: schema as TSchema & FileNote, isNeeded }, ...inner]
  })
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
