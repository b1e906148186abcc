/** A page, used by its keyboard alone: there is no pointer here. */
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { TEXTS } from '../texts.ts'

/** More tab stops than any page has, and more choices than any list. */
const [MOST_STOPS, MOST_CHOICES] = [120, 40]

export type Keys = Readonly<{
  page: Page
  press: (...keys: readonly string[]) => Promise<void>
  /** Presses Tab, or Shift and Tab if it is above, until the control has the focus. */
  to: (target: Locator) => Promise<void>
  /** Moves to the control, and presses Enter. */
  enter: (target: Locator) => Promise<void>
  /** Moves to the control, and presses Space. */
  toggle: (target: Locator) => Promise<void>
  /** Moves to the field, and types in place of what it has. */
  write: (target: Locator, text: string) => Promise<void>
  /** Moves to a group of radio buttons, and presses an arrow key until this one is chosen. */
  pick: (radio: Locator) => Promise<void>
  /** Moves to a select or to the button of a menu, opens it, and chooses an item with the arrow keys. */
  choose: (button: Locator, item: string) => Promise<void>
  /** The button of this name, in the dialog if one is open. */
  button: (name: string) => Promise<Locator>
  /** The field of this name, in the dialog if one is open. */
  field: (name: string) => Promise<Locator>
  sees: (text: string | RegExp) => Promise<void>
}>

export function keysOf(page: Page): Keys {
  const moves = movesOf(page)
  const { press, to, enter } = moves
  return {
    page,
    ...moves,
    toggle: async (target) => {
      await to(target)
      await press('Space')
    },
    write: async (target, text) => {
      await to(target)
      await press('ControlOrMeta+a')
      await page.keyboard.insertText(text)
    },
    choose: async (button, name) => {
      await enter(button)
      const option = page.getByRole('option', { name, exact: true })
      const item = option.or(page.getByRole('menuitem', { name })).first()
      await item.waitFor()
      await press('Home')
      await pressUntil(press, 'ArrowDown', MOST_CHOICES, () => hasFocus(item))
      await press('Enter')
    },
    button: async (name) => (await inFront(page)).getByRole('button', { name, exact: true }).first(),
    field: async (name) => (await inFront(page)).getByLabel(name, { exact: true }).first(),
    sees: (text) => page.getByText(text).first().waitFor(),
  }
}

function movesOf(page: Page): Pick<Keys, 'press' | 'to' | 'enter' | 'pick'> {
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const to = async (target: Locator): Promise<void> => {
    await target.waitFor({ state: 'attached' })
    for (let stops = 0; ; stops += 1) {
      const where = await placeOf(target)
      if (where === 'here') return
      assert.ok(stops < MOST_STOPS, `Tab does not reach ${target}`)
      await press(where === 'above' ? 'Shift+Tab' : 'Tab')
    }
  }
  return {
    press,
    to,
    enter: async (target) => {
      await to(target)
      await press('Enter')
    },
    pick: async (radio) => {
      await radio.waitFor({ state: 'attached' })
      await pressUntil(press, 'Tab', MOST_STOPS, () => isInGroup(radio))
      await pressUntil(press, 'ArrowRight', MOST_CHOICES, () => radio.isChecked())
    },
  }
}

type Press = Keys['press']

async function pressUntil(press: Press, key: string, most: number, isThere: () => Promise<boolean>): Promise<void> {
  for (let times = 0; !(await isThere()); times += 1) {
    assert.ok(times < most, `${key} does not lead there`)
    await press(key)
  }
}

/** The dialog on top, or the page. */
async function inFront(page: Page): Promise<Page | Locator> {
  const dialog = page.getByRole('dialog').last()
  return (await dialog.count()) === 0 ? page : dialog
}

/** Where it is, seen from what has the focus. */
const placeOf = (target: Locator): Promise<'here' | 'above' | 'below'> =>
  target.evaluate((element) => {
    const { activeElement: focused, body } = element.ownerDocument
    if (focused === element) return 'here'
    if (focused === null || focused === body) return 'below'
    return (focused.compareDocumentPosition(element) & focused.DOCUMENT_POSITION_PRECEDING) === 0 ? 'below' : 'above'
  })

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === element.ownerDocument.activeElement)

/** Whether a radio button of the same group has the focus. */
const isInGroup = (radio: Locator): Promise<boolean> =>
  radio.evaluate((element) => {
    const focused = element.ownerDocument.activeElement
    return focused?.getAttribute('type') === 'radio' && focused.getAttribute('name') === element.getAttribute('name')
  })

/** Waits until the dialog on top is closed. */
export const untilClosed = ({ page }: Keys): Promise<void> =>
  page.getByRole('dialog').last().waitFor({ state: 'detached' })

/** Presses the button of a form, and waits until it is done and its dialog is closed. */
export async function submit(keys: Keys, action: string, done: string | RegExp): Promise<void> {
  await keys.enter(await keys.button(action))
  await keys.sees(done)
  await untilClosed(keys)
}

/** Removals ask first. */
export async function remove(keys: Keys, name: string, done: string): Promise<void> {
  await keys.enter(await keys.button(name))
  await keys.page.getByRole('dialog').waitFor()
  await submit(keys, TEXTS.common.remove, done)
}

/** Moves to the button, presses Enter, and waits for the file. */
export async function download(keys: Keys, name: string, file: RegExp): Promise<void> {
  const [saved] = await Promise.all([keys.page.waitForEvent('download'), keys.enter(await keys.button(name))])
  assert.match(saved.suggestedFilename(), file)
}
