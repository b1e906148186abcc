/** What a browser does with redirects and cookies, without pages: one host, whatever the ports. */
export type Visited = Readonly<{ status: number; url: string; headers: Headers; text: string; json: unknown }>

export type CookieBrowser = Readonly<{
  /** Follows redirects, unless `most` of them were followed. */
  visit: (url: string, most?: number) => Promise<Visited>
  call: (method: string, url: string, body?: object, headers?: Readonly<Record<string, string>>) => Promise<Visited>
  cookies: ReadonlyMap<string, string>
  setCookie: (name: string, value: string) => void
}>

const MOST_REDIRECTS = 20
const ANSWER_WITHIN_MS = 30_000

export function openCookieBrowser(): CookieBrowser {
  const cookies = new Map<string, string>()

  async function call(method: string, url: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    for (const one of response.headers.getSetCookie()) keep(one)
    const text = await response.text()
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      url,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    }
  }

  /** Deletes what has expired. */
  function keep(setCookie: string): void {
    const [pair = ''] = setCookie.split(';')
    const [name = '', ...value] = pair.split('=')
    const expires = /expires=([^;]+)/i.exec(setCookie)?.[1]
    const isOver = /max-age=0/i.test(setCookie) || (expires !== undefined && Date.parse(expires) < Date.now())
    if (isOver) cookies.delete(name)
    else cookies.set(name, value.join('='))
  }

  async function visit(url: string, most = MOST_REDIRECTS): Promise<Visited> {
    const visited = await call('GET', url)
    const location = visited.headers.get('location')
    if (location === null || most === 0) return visited
    return visit(new URL(location, url).href, most - 1)
  }

  return { visit, call, cookies, setCookie: (name, value) => cookies.set(name, value) }
}
