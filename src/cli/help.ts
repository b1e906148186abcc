/** `pombo help`: what there is. */
import type { Command } from './command.ts'

export const toOverview = (commands: readonly Command[]): string => {
  const width = Math.max(...commands.map(({ name }) => name.length))
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)
  return `Pombo, the gateway for messages that must not be lost and not be sent twice.

pombo COMMAND [options]

${lines.join('\n')}

\`pombo COMMAND --help\` shows the options of a command; docs/configuration.md lists the settings.
`
}
