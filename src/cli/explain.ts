/** `pombo explain`: why a message stands where it stands, what is next, and what a person can do. */
import { toClient } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, JSON_OPTION, readMessageId } from './command.ts'
import { EXIT } from './exit.ts'
import { type Json, listIn, textIn, toJson } from './json.ts'
import { paint, paintStatus, toDayTime, toPlain } from './render.ts'
import type { Output } from './world.ts'

export const explain = defineCommand({
  name: 'explain',
  summary: 'Explain why a message stands where it stands, and what can be done.',
  words: { usage: 'ID', least: 1, most: 1 },
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  async run(world, values, [word]) {
    const id = readMessageId(word)
    const explanation = await toClient(world, values).call('GET', `/v1/messages/${id}/explain`)
    world.out.write(values.json === true ? `${JSON.stringify(explanation)}\n` : draw(world.out, explanation))
    return EXIT.ok
  },
})

function draw(out: Output, explanation: Json): string {
  const status = paintStatus(out, textOf(explanation, 'status'))
  const error = toJson(explanation['error'])
  const sections = [
    [
      `${paint(out, 'bold', textOf(explanation, 'summary'))} ${paint(out, 'gray', '(')}${status}${paint(out, 'gray', ')')}`,
    ],
    listIn(explanation, 'reasons').map((reason) => toLine(reason)),
    drawError(out, error),
    drawNext(out, toJson(explanation['next'])),
    drawActions(out, listIn(explanation, 'actions')),
  ]
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`
}

const textOf = (json: Json, key: string): string => toPlain(textIn(json, key) ?? '')

const TIME_WIDTH = 20

/** What holds now has no time. */
const toLine = (reason: Json): string =>
  `${toDayTime(textOf(reason, 'at')).padEnd(TIME_WIDTH)}  ${textOf(reason, 'text')}`

function drawError(out: Output, error: Json): readonly string[] {
  const code = textOf(error, 'code')
  if (code === '') return []
  return [`${paint(out, 'red', code)}: ${textOf(error, 'meaning')}`, textOf(error, 'advice')]
}

function drawNext(out: Output, next: Json): readonly string[] {
  const text = textOf(next, 'text')
  if (text === '') return []
  const at = textIn(next, 'at')
  return [`${paint(out, 'bold', 'Next')}  ${at === undefined ? '' : `${toDayTime(toPlain(at))}  `}${text}`]
}

function drawActions(out: Output, actions: readonly Json[]): readonly string[] {
  if (actions.length === 0) return []
  return [
    paint(out, 'bold', 'You can'),
    ...actions.flatMap((action) => {
      const call = textOf(action, 'path') === '' ? [] : [`    ${paint(out, 'gray', toCall(action))}`]
      return [`  - ${textOf(action, 'text')}`, ...call]
    }),
  ]
}

/** `POST /v1/messages/…/resolve {"as":"sent"}, which needs the scope messages:write` */
function toCall(action: Json): string {
  const { body, allowed } = action
  const sent = body === undefined ? '' : ` ${toPlain(JSON.stringify(body))}`
  const scope = allowed === false ? `, which needs the scope ${textOf(action, 'scope')}` : ''
  return `${textOf(action, 'method')} ${textOf(action, 'path')}${sent}${scope}`
}
