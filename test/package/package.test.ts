/** `npm pack`, `npm install` of the tarball into an empty folder, and `npx pombo` there. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ROOT, runPombo, startProgram } from '../support/command.ts'
import { sendMail } from '../support/email.ts'
import { type Gateway, listening } from '../support/gateway.ts'
import { codeAt, generate, someOtp, validate } from '../support/otp.ts'
import { send, untilStatus } from '../support/sms.ts'
import { type Installed, installPackage, nameOf, readSbom } from './installed.ts'

type Manifest = Readonly<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>>

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest

/** The packages of package-lock.json that not only development needs. */
function lockedNames(): ReadonlySet<string> {
  type Lock = Readonly<{ packages: Readonly<Record<string, Readonly<{ dev?: true }>>> }>
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  return new Set(Object.entries(packages).flatMap(([path, { dev }]) => (dev === true ? [] : [nameOf(path)])))
}

const ENTRIES = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'bin',
  'console',
  'dist',
  'docs',
  'package.json',
]
/** They run something as soon as they are loaded. */
const ENTRY = /^dist\/(?:main|.*-?thread)\.js$/

describe('the package', { timeout: 300_000 }, () => {
  let installed: Installed
  before(async () => {
    installed = await installPackage()
  })
  after(() => installed[Symbol.asyncDispose]())

  test('has JavaScript, the console and documents, and nothing else', (t) => {
    const { files, sizes } = installed
    assert.deepEqual([...new Set(files.map((file) => file.split('/')[0]))].toSorted(), ENTRIES)
    assert.deepEqual(
      files.filter((file) => /\.(?:tsx?|map)$|\.(?:test|contract|fixture)\.|^console\/(?!dist\/)/.test(file)),
      [],
    )
    assert.ok(files.some((file) => /^dist\/.*\.sql$/.test(file)))
    const [tarball, all] = [sizes.tarballBytes, sizes.installedBytes].map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`)
    const [packed, took] = [sizes.packedMs, sizes.installedMs].map((ms) => `${(ms / 1000).toFixed(1)} s`)
    t.diagnostic(
      `packed in ${packed}: ${files.length} files, ${tarball}; installed in ${took}: ${all} with dependencies`,
    )
  })

  test('brings what `npm run sbom` lists, and no development dependency', async () => {
    const { packages } = installed
    const { text, names } = await readSbom()
    const [listed, listedNames] = [new Set(names), new Set(names.map((name) => name.replace(/@[^@]*$/, '')))]
    const here = new Set([...packages.keys()].map(nameOf))
    for (const [name, version] of Object.entries(manifestOf('.').dependencies)) {
      assert.equal(packages.get(`node_modules/${name}`)?.version, version)
      assert.ok(listed.has(`${name}@${version}`), `${name}@${version}`)
    }
    // npm may install a newer release of what they depend on, which may need something else.
    for (const [path, { version, dependencies = {} }] of packages) {
      if (!listed.has(`${nameOf(path)}@${version}`)) continue
      for (const name of Object.keys(dependencies)) assert.ok(listedNames.has(name), `${nameOf(path)} needs ${name}`)
    }
    // What the console is bundled with is in its files.
    assert.ok(['react', 'scheduler', 'uplot'].every((name) => listedNames.has(name)))
    const known = lockedNames()
    for (const folder of ['.', 'console']) {
      for (const name of Object.keys(manifestOf(folder).devDependencies)) {
        assert.equal(here.has(name), known.has(name), name)
        assert.ok(listedNames.has(name) || !known.has(name), name)
      }
    }
    for (const name of ['typescript', 'vite', '@types/react', 'fast-check']) assert.ok(!listedNames.has(name), name)
    assert.doesNotMatch(text, /https?:\/\/(?!cyclonedx\.org\/)/)
  })

  test('loads every module without a development dependency', async () => {
    const modules = installed.files.filter((file) => file.endsWith('.js') && /^dist\//.test(file) && !ENTRY.test(file))
    assert.ok(modules.length > 500)
    const script = `for (const file of ${JSON.stringify(modules)}) await import('./' + file)`
    const args = ['--input-type=module', '--eval', script]
    const { code, err } = await startProgram(process.execPath, args, { cwd: installed.path }).ended
    assert.equal(code, 0, err)
  })

  test('has the same lines and columns as the sources', async () => {
    const env = { POMBO_LOG_LEVEL: 'debug' }
    const [packed, cloned] = [await installed.run(['nope'], env), await runPombo(['nope'], env)]
    const placesIn = (text: string): readonly string[] =>
      [...text.matchAll(/cli\/(\S+)\.[jt]s(:\d+:\d+)/g)].map(([, file, place]) => `${file}${place}`)
    assert.ok(placesIn(cloned.err).length > 1, cloned.err)
    assert.deepEqual(placesIn(packed.err), placesIn(cloned.err))
    assert.match(packed.err, /pombo\/dist\/cli\//)
  })

  test('has the command line, and says what only a clone has', async () => {
    const help = await installed.run(['--help'])
    assert.deepEqual([help.code, /^ {2}serve {2,}\S/m.test(help.out)], [0, true], help.err)
    const version = await installed.run(['version'])
    assert.match(version.out, /^pombo \d+\.\d+\.\d+ \(node (?:2[4-9]|[3-9]\d)\./)
    const bench = await installed.run(['bench'])
    assert.equal(bench.code, 69)
    assert.match(bench.err, /^pombo: bench\/main\.ts is not in the package; run it in a clone of the repository$/m)
  })

  describe('its gateway', () => {
    let gateway: Gateway
    before(async () => {
      gateway = await listening(installed.start(['serve'], { POMBO_PORT: '0', POMBO_LOG_LEVEL: 'warn' }))
    })

    test('delivers an SMS and a mail', async () => {
      const ids = [await send(gateway), await sendMail(gateway)]
      for (const id of ids) await untilStatus(gateway, id, 'delivered')
    })

    test('sends and checks a code', async () => {
      const otp = someOtp()
      const { body } = await generate(gateway, otp)
      const code = await codeAt(gateway, otp.to)
      assert.equal((await validate(gateway, body.challenge_id, code)).body.valid, true)
    })

    test('serves its console', async () => {
      const page = await (await fetch(`${gateway.url}/console/`)).text()
      const assets = [...page.matchAll(/(?:src|href)="(\/?[^":]+\.(?:js|css|svg))"/g)].map(([, path = '']) => path)
      assert.ok(assets.length > 1, page)
      for (const path of assets) {
        const { status } = await fetch(new URL(path, `${gateway.url}/console/`))
        assert.equal(status, 200, path)
      }
    })

    test('is found healthy by the doctor', async () => {
      const { code, out, err } = await installed.run(['doctor'], { POMBO_PORT: new URL(gateway.url).port })
      assert.equal(code, 0, out + err)
      assert.match(out, /^✓ codes: can be hashed$/m)
    })

    test('stops on SIGTERM', async () => {
      const { err } = await gateway.kill('SIGTERM')
      assert.equal(err.replaceAll(/^npm warn .*\n/gm, ''), '')
      const data = join(installed.path, '../../data')
      const { code, out } = await installed.run(['doctor'], { POMBO_DATA_DIR: data })
      assert.equal(code, 0, out)
      await assert.rejects(fetch(gateway.url))
    })
  })
})
