/**
 * `pombo init`: writes what a gateway on one machine needs (docs/single-node.md): the configuration file, settings and
 * secrets, systemd units, and the configuration of a reverse proxy. It changes nothing outside its folder.
 */
import { loadConfig } from '../config/config.ts'
import { KINDS } from '../config/file-schema.ts'
import { defineCommand } from './command.ts'
import { EXIT } from './exit.ts'
import { type Answers, type Given, INIT_OPTIONS, readAnswers } from './init-answers.ts'
import { ENV_FILE, type NewFile, parseEnvText, toFiles } from './init-files.ts'
import { backupsOf } from './init-units.ts'
import { findKept, refuseToReplace, setAside, stableProgram, writeFiles } from './init-write.ts'
import { toTable } from './render.ts'
import type { World } from './world.ts'

export const init = defineCommand({
  name: 'init',
  summary: 'Write configuration, systemd units and a proxy configuration for one machine (docs/single-node.md).',
  options: INIT_OPTIONS,
  async run(world, given) {
    if (given.force !== true) refuseToReplace(given.dir)
    const answers = await readAnswers(world, given)
    const program = stableProgram(world.program)
    const files = toFiles(answers, program, findKept(answers))
    const warnings = [...loadFiles(answers, files), ...suspicions(answers, program)]
    if (!(await isAgreed(world, given, answers))) {
      world.err.write('pombo: nothing was written\n')
      return EXIT.failure
    }
    const aside = setAside(answers.dir, world.clock())
    writeFiles(answers.dir, files)
    world.out.write(toReport(answers, files, aside))
    for (const warning of warnings) world.err.write(`Note: ${warning}\n`)
    return EXIT.ok
  },
})

/** The gateway must start with the files. Returns its warnings. */
function loadFiles({ dir }: Answers, files: readonly NewFile[]): readonly string[] {
  const textOf = (path: string): string => {
    const file = files.find(({ name }) => path === `${dir}/${name}`)
    if (file === undefined) throw new Error(`no file ${path}`)
    return file.text
  }
  return loadConfig(parseEnvText(textOf(`${dir}/${ENV_FILE}`)), textOf).warnings
}

const HIDDEN = /^\/(?:home|root|run\/user)\//

function suspicions({ providers }: Answers, program: readonly string[]): readonly string[] {
  const carried = new Set(providers.flatMap(({ kind }) => KINDS[kind].channels))
  const hidden = program.find((part) => HIDDEN.test(part))
  return [
    ...(carried.has('sms') ? [] : ['no provider carries SMS, so they cannot be sent']),
    ...(carried.has('email') ? [] : ['no provider carries email, so it cannot be sent']),
    ...(providers.some(({ kind }) => kind === 'simulator') ? ['the simulator sends nothing to anybody'] : []),
    ...(hidden === undefined ? [] : [`the units cannot see ${hidden} (ProtectHome); install Pombo in /opt`]),
  ]
}

async function isAgreed({ ask }: World, { yes }: Given, { dir }: Answers): Promise<boolean> {
  if (ask === undefined || yes === true) return true
  const reply = await ask(`Write the files to ${dir}? [yes]\n> `, { isSecret: false })
  return /^(?:y|yes)?$/i.test(reply.trim())
}

function toReport(answers: Answers, files: readonly NewFile[], aside: string | undefined): string {
  const written = toTable(files.map(({ name, about, mode }) => [`  ${name}`, mode.toString(8).padStart(4, '0'), about]))
  const kept = aside === undefined ? '' : `The previous files are in ${aside}.\n`
  const steps = toSteps(answers).map((step) => `  ${step}\n`)
  return `Wrote to ${answers.dir}:

${written}${kept}
Next, as root:

${steps.join('')}
Keep a copy of ${answers.dir}/${ENV_FILE} away from this machine: without its POMBO_MASTER_KEY no backup can be read.
docs/single-node.md explains the steps, backups and upgrades.
`
}

/** Those that docs/single-node.md explains. */
export function toSteps(answers: Answers): readonly string[] {
  const { dir, dataDir, user } = answers
  return [
    `useradd --system --user-group --home-dir ${dataDir} --no-create-home --shell /usr/sbin/nologin ${user}`,
    `install -d -o ${user} -g ${user} -m 0700 ${dataDir} ${backupsOf(answers)}`,
    `ln -sf ${dir}/pombo /usr/local/sbin/pombo`,
    'pombo doctor',
    `cp ${dir}/pombo.service ${dir}/pombo-backup.service ${dir}/pombo-backup.timer /etc/systemd/system/`,
    'systemctl daemon-reload',
    'systemctl enable --now pombo.service pombo-backup.timer',
    ...proxySteps(answers),
    'pombo users create --email you@example.com --role operator',
  ]
}

function proxySteps({ dir, proxy }: Answers): readonly string[] {
  switch (proxy) {
    case 'caddy':
      return [`cp ${dir}/Caddyfile /etc/caddy/Caddyfile`, 'systemctl reload caddy']
    case 'nginx':
      return [
        `cp ${dir}/nginx.conf /etc/nginx/sites-available/pombo`,
        'ln -sf ../sites-available/pombo /etc/nginx/sites-enabled/pombo',
        'nginx -t',
        'systemctl reload nginx',
      ]
    case 'none':
      return []
  }
}
