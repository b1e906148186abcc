/** Sending one message and many, and the simulator. */
import { generate, someOtp } from '../../support/otp.ts'
import { inboxOf } from '../../support/sms.ts'
import { until } from '../../support/until.ts'
import { TEXTS } from '../texts.ts'
import type { PageActions } from './inventory.ts'
import { download, type Keys } from './keys.ts'

const [T, B, S, C] = [TEXTS.send, TEXTS.bulk, TEXTS.simulator, TEXTS.common]

const delivered = (keys: Keys): Promise<void> =>
  keys.page.locator('.sent-all > li').first().getByText(C.states.delivered).first().waitFor()

const kind = async ({ page, to, press }: Keys, from: string, ...arrows: readonly string[]): Promise<void> => {
  await to(page.getByRole('tab', { name: from }))
  await press(...arrows)
}

async function chooseFile(keys: Keys, name: string, file: Readonly<{ name: string; text: string }>): Promise<void> {
  const [chooser] = await Promise.all([keys.page.waitForEvent('filechooser'), keys.enter(await keys.button(name))])
  await chooser.setFiles({ name: file.name, mimeType: 'text/plain', buffer: Buffer.from(file.text) })
}

const [CODE_TO, PATH] = ['+15005550791', '/simulator?thread=%2B15005550791']

export const SEND_ACTIONS: Readonly<Record<string, PageActions>> = {
  send: {
    path: '/send',
    actions: {
      'send an SMS': async (keys) => {
        await keys.write(await keys.field(T.to), '+15005550790')
        await keys.write(keys.page.getByRole('textbox', { name: T.message, exact: true }), 'By keys')
        await keys.press('Control+Enter')
        await delivered(keys)
      },
      'clear what was sent': async (keys) => {
        await keys.enter(await keys.button(T.sent.clear))
        await keys.sees(T.sent.none)
      },
      'send a template with options': async (keys) => {
        await keys.choose(keys.page.getByRole('button', { name: T.content }), 'shipped (en)')
        await keys.write(await keys.field('number'), '4711')
        await keys.enter(keys.page.locator('summary', { hasText: T.options }))
        await keys.write(await keys.field(T.tags), 'keys')
        await keys.enter(await keys.button(T.action))
        await delivered(keys)
      },
      'copy as curl': async (keys) => {
        await keys.enter(await keys.button(T.curl))
        await keys.sees(C.copied)
      },
      'send an email with an attachment': async (keys) => {
        await keys.press('Control+Home')
        await kind(keys, T.kinds.sms, 'ArrowRight')
        await keys.write(await keys.field(T.to), 'ada@sim.pombo.test')
        await keys.choose(keys.page.getByRole('button', { name: T.content }), T.ownText)
        await keys.write(await keys.field(T.subject), 'By keys')
        await keys.write(await keys.field(T.html), '<p>By <b>keys</b></p>')
        await chooseFile(keys, C.files.chooseMany, { name: 'a.txt', text: 'a' })
        await keys.pick(keys.page.getByRole('radio', { name: TEXTS.mailView.devices.phone }))
        await keys.enter(await keys.button(T.action))
        await delivered(keys)
      },
      'send a one-time code and check it': async (keys, { gateway }) => {
        await kind(keys, T.kinds.email, 'ArrowRight')
        await keys.write(await keys.field(T.to), '+15005550792')
        await keys.enter(await keys.button(T.action))
        const code = await until('the code', async () => {
          const [{ body = '' } = {}] = await inboxOf(gateway, '+15005550792')
          return /\d{6}/.exec(body)?.[0]
        })
        await keys.write(await keys.field(TEXTS.checkCode.code), code)
        await keys.enter(await keys.button(TEXTS.checkCode.check))
        await keys.sees(TEXTS.checkCode.results.verified)
      },
    },
  },
  'bulk send': {
    path: '/send/bulk',
    actions: {
      'choose a file': async (keys) => {
        const text = 'phone,text\n+15005550793,One\n+15005550794,Two\nnobody,Three\n'
        await chooseFile(keys, C.files.choose, { name: 'keys.csv', text })
        await keys.sees(B.columnsAbout)
      },
      'choose what a column contains': async (keys) => {
        await keys.choose(keys.page.getByRole('button', { name: `${B.columnHead[2]}: text` }).first(), B.targets.ignore)
        await keys.sees(B.needs.message)
        await keys.choose(
          keys.page.getByRole('button', { name: `${B.columnHead[2]}: text` }).first(),
          B.targets.message,
        )
      },
      'name the send': async (keys) => keys.write(await keys.field(B.name), 'keys'),
      'confirm and send': async (keys) => {
        await keys.enter(await keys.button(B.send('2')))
        await keys.enter(await keys.button(B.confirm.action))
        await keys.page.getByRole('heading', { name: new RegExp(`^${B.run.title.done}`) }).waitFor()
      },
      'download the results': (keys) => download(keys, B.run.results, /\.csv$/),
      'send another file': async (keys) => {
        await keys.enter(await keys.button(B.run.another))
        await keys.sees(C.files.drop)
      },
    },
  },
  simulator: {
    path: PATH,
    actions: {
      'check a code': async (keys, { gateway }) => {
        await generate(gateway, someOtp({ to: CODE_TO }))
        await until('the code', async () => (await inboxOf(gateway, CODE_TO)).length === 1)
        await keys.enter(keys.page.locator('summary', { hasText: S.phone.check }).last())
        await keys.enter(await keys.button(TEXTS.checkCode.check))
        await keys.sees(TEXTS.checkCode.results.verified)
      },
      'open another thread': async (keys) => {
        const threads = keys.page.getByRole('navigation', { name: S.phone.threads })
        await keys.enter(threads.locator('[aria-current=false]').first())
        await until('another thread', () => !keys.page.url().includes(CODE_TO.slice(1)))
      },
      'open an email and its source': async (keys) => {
        await keys.enter(await keys.button(S.devices.mailbox))
        await keys.enter(keys.page.locator('summary', { hasText: S.mailbox.source }))
        await keys.sees(/^Subject:|\nSubject:/)
      },
      'send to a magic recipient': async (keys) => {
        await keys.enter(keys.page.getByRole('link', { name: S.magic.sendTo('+15005550001') }))
        await keys.page.getByRole('heading', { level: 1, name: TEXTS.pages.send }).waitFor()
      },
    },
  },
}
