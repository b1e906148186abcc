/** Runs nginx and Caddy with the configuration that `pombo init` writes, on loopback and with a self-signed certificate. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { caddyfile, nginxSite } from '../../src/cli/init-proxies.ts'
import { openFolder } from '../support/folder.ts'
import { START_WITHIN_MS, until } from '../support/until.ts'
import { findProgram } from './programs.ts'

export type ProxyKind = 'nginx' | 'caddy'

/** What the proxy is made for. `httpPort` takes the place of port 80. */
export type Site = Readonly<{
  publicUrl: URL
  port: number
  httpPort: number
  certificate: Readonly<{ key: string; cert: string }>
}>

type Prepared = Readonly<{ args: readonly string[]; env: Readonly<Record<string, string>> }>

export async function startProxy(kind: ProxyKind, site: Site): Promise<AsyncDisposable> {
  const folder = await openFolder()
  const pem = { key: join(folder.path, 'key.pem'), cert: join(folder.path, 'cert.pem') }
  writeFileSync(pem.key, site.certificate.key)
  writeFileSync(pem.cert, site.certificate.cert)
  const { args, env } = PREPARE[kind](folder.path, site, pem)
  const child = spawn(findProgram(kind) ?? kind, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const isOpen = (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`${kind} ended: ${said}`)
    return answersAt(Number(site.publicUrl.port))
  }
  await until(`${kind} to listen`, isOpen, { withinMs: START_WITHIN_MS })
  return {
    async [Symbol.asyncDispose]() {
      process.removeListener('exit', kill)
      const ended = once(child, 'exit')
      kill()
      await ended
      await folder[Symbol.asyncDispose]()
    },
  }
}

type Pem = Readonly<{ key: string; cert: string }>

const PREPARE: Readonly<Record<ProxyKind, (folder: string, site: Site, pem: Pem) => Prepared>> = {
  nginx(folder, site, { key, cert }) {
    const { hostname, port } = site.publicUrl
    const live = `/etc/letsencrypt/live/${hostname}`
    const text = changed(nginxSite(site), [
      ['listen 80;\n\tlisten [::]:80;', `listen 127.0.0.1:${site.httpPort};`],
      [`listen ${port} ssl http2;\n\tlisten [::]:${port} ssl http2;`, `listen 127.0.0.1:${port} ssl http2;`],
      [`${live}/fullchain.pem`, cert],
      [`${live}/privkey.pem`, key],
      ['/var/log/nginx/error.log', join(folder, 'error.log')],
    ])
    mkdirSync(join(folder, 'temp'))
    const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/temp;`)
    const main = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}\n`
    writeFileSync(join(folder, 'nginx.conf'), `${main}http { access_log off; ${temp.join(' ')}\n${text}}\n`)
    return { args: ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], env: {} }
  },
  caddy(folder, site, { key, cert }) {
    const options = `{\n\tadmin off\n\thttp_port ${site.httpPort}\n\tauto_https disable_redirects\n}\n`
    const opening = `${site.publicUrl.origin} {`
    const text = changed(caddyfile(site), [[opening, `${opening}\n\ttls ${cert} ${key}`]])
    writeFileSync(join(folder, 'Caddyfile'), options + text)
    return { args: ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')], env: { HOME: folder } }
  },
}

/** Ports and paths of a test, in place of those of the machine; nothing else differs. */
function changed(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`the configuration does not contain ${JSON.stringify(from)}`)
    return before.replaceAll(from, to)
  }, text)
}

const answersAt = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
