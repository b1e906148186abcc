/**
 * Adds code samples to every operation: for curl, Node, Python and Go. They read the token from the variable TOKEN. The page
 * that shows them replaces ORIGIN by its own.
 */
import { bodyExample, parameterExample } from './examples.ts'
import { mapOperations, type Node, type OpenApi, type Operation } from './open-api.ts'

export const ORIGIN = 'http://localhost:8080'

type Call = Readonly<{
  method: string
  url: string
  needsToken: boolean
  /** As JSON, over several lines. */
  body?: string
  isJson: boolean
}>

export const withCodeSamples = (document: OpenApi): OpenApi => ({
  ...document,
  paths: mapOperations(document, (operation, { path, method }) => {
    const call = toCall(operation, path, method.toUpperCase())
    const samples = SAMPLES.map(({ lang, label, write }) => ({ lang, label, source: write(call) }))
    return { ...operation, 'x-codeSamples': samples }
  }),
})

function toCall(operation: Operation, path: string, method: string): Call {
  const { parameters = [], responses, security } = operation
  const named = (place: string) => parameters.filter((one) => one['in'] === place)
  const filled = named('path').reduce(
    (url: string, one) => url.replace(`{${one['name']}}`, parameterExample(one)),
    `${ORIGIN}${path}`,
  )
  const query = named('query')
    .filter((one) => one['required'] === true)
    .map((one) => `${one['name']}=${parameterExample(one)}`)
  const body = bodyExample(operation)
  return {
    method,
    url: [filled, ...(query.length === 0 ? [] : [query.join('&')])].join('?'),
    needsToken: security === undefined,
    ...(body !== undefined && { body: JSON.stringify(body, null, 2) }),
    isJson: 'application/json' in contentOf(responses),
  }
}

/** Of the successful response. */
const contentOf = (responses: Operation['responses']): Readonly<Record<string, Node>> =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {}

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)

function curl({ method, url, needsToken, body }: Call): string {
  const isUsual = method === (body === undefined ? 'GET' : 'POST')
  return [
    `curl ${isUsual ? '' : `-X ${method} `}'${url}'`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d '${body.replaceAll("'", `'\\''`)}'`]),
  ].join(' \\\n  ')
}

function node({ method, url, needsToken, body, isJson }: Call): string {
  const headers = [
    ...(needsToken ? ["    Authorization: 'Bearer ' + process.env.TOKEN,"] : []),
    ...(body === undefined ? [] : ["    'Content-Type': 'application/json',"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indent(body, '  ')}),`]),
  ]
  return [
    options.length === 0 ? `const response = await fetch('${url}')` : `const response = await fetch('${url}', {`,
    ...(options.length === 0 ? [] : [...options, '})']),
    `console.log(response.status, await response.${isJson ? 'json' : 'text'}())`,
  ].join('\n')
}

function python({ method, url, needsToken, body, isJson }: Call): string {
  return [
    ...(needsToken ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    "${url}",`,
    ...(needsToken ? [`    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},`] : []),
    ...(body === undefined ? [] : [`    json=${indent(toPython(JSON.parse(body)), '    ')},`]),
    ')',
    `print(response.status_code, response.${isJson ? 'json()' : 'text'})`,
  ].join('\n')
}

/** JSON but for its constants. */
function toPython(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const items = Array.isArray(value)
    ? value.map(toPython)
    : Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${toPython(inner)}`)
  return items.length === 0 ? `${open}${close}` : `${open}\n    ${indent(items.join(',\n'), '    ')},\n${close}`
}

function go({ method, url, needsToken, body }: Call): string {
  const reader = body === undefined ? 'nil' : `strings.NewReader(${toGo(body)})`
  return [
    'package main',
    '',
    'import (',
    ...['fmt', 'io', 'log', 'net/http', ...(needsToken ? ['os'] : []), ...(body === undefined ? [] : ['strings'])].map(
      (name) => `\t"${name}"`,
    ),
    ')',
    '',
    'func main() {',
    `\trequest, err := http.NewRequest("${method}", "${url}", ${reader})`,
    ...FAIL,
    ...(needsToken ? ['\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))'] : []),
    ...(body === undefined ? [] : ['\trequest.Header.Set("Content-Type", "application/json")']),
    '\tresponse, err := http.DefaultClient.Do(request)',
    ...FAIL,
    '\tdefer response.Body.Close()',
    '\ttext, err := io.ReadAll(response.Body)',
    ...FAIL,
    '\tfmt.Println(response.StatusCode, string(text))',
    '}',
  ].join('\n')
}

const FAIL = ['\tif err != nil {', '\t\tlog.Fatal(err)', '\t}']

const toGo = (text: string): string => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``)

const SAMPLES: readonly Readonly<{ lang: string; label: string; write: (call: Call) => string }>[] = [
  { lang: 'Shell', label: 'curl', write: curl },
  { lang: 'JavaScript', label: 'Node', write: node },
  { lang: 'Python', label: 'Python', write: python },
  { lang: 'Go', label: 'Go', write: go },
]
