/** Every action of the inventory by keyboard alone, at 360 px, in the dark. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openCustomer } from '../support/customer.ts'
import { INVENTORY, type PageActions, type World } from './actions/inventory.ts'
import { keysOf } from './actions/keys.ts'
import { describeConsole, PAGES, PHONE, untilShown } from './console.fixture.ts'
import { createScene, SCENE_CONFIG, type Scene } from './scene.ts'

/** Faster than a person needs them; the default would hide a key that does nothing for half a minute. */
const STEP_MS = 12_000

async function doAll(page: Page, world: World, { path, actions }: PageActions): Promise<void> {
  await page.goto(`${world.gateway.url}/console${typeof path === 'string' ? path : path(world)}`)
  await untilShown(page)
  for (const [name, act] of Object.entries(actions)) {
    await act(keysOf(page), world).catch((cause) => Promise.reject(new Error(`${name}: ${cause.message}`, { cause })))
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    assert.ok(width <= PHONE.width, `${name}: the page is ${width} px wide`)
  }
}

test('the inventory has actions of every page', () => {
  const paths = Object.values(INVENTORY).map(({ path }) => (typeof path === 'string' ? path.split('?')[0] : undefined))
  const missing = PAGES.map(([path]) => path).filter((path) => !paths.includes(path))
  assert.deepEqual(missing, [])
})

describeConsole(
  'every action by keyboard alone, on a phone in the dark',
  (site) => {
    let scene: Scene
    before(async () => {
      scene = await createScene(site.gateway)
    })

    test('the actions', async (t) => {
      await using customer = await openCustomer()
      const world = { gateway: site.gateway, scene, hookUrl: customer.hook().url }
      const options = { viewport: PHONE, colorScheme: 'dark', path: '/limits', expected: /status of 40[04]/ } as const
      await site.visit(options, async (page) => {
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
        page.setDefaultTimeout(STEP_MS)
        for (const [what, actions] of Object.entries(INVENTORY))
          await t.test(`${what}: ${Object.keys(actions.actions).join('; ')}`, () => doAll(page, world, actions))
      })
    })
  },
  { ...SCENE_CONFIG, env: { ...SCENE_CONFIG.env, POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8' } },
)
