/** Whether somebody is at the screen: calls that the console makes by itself must not keep a session alive. */
const ATTENDED_MS = 5 * 60_000
const SIGNS = ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const

let lastSignAt = Date.now()

for (const sign of SIGNS) {
  addEventListener(
    sign,
    () => {
      lastSignAt = Date.now()
    },
    { capture: true, passive: true },
  )
}

export const isAttended = (): boolean => Date.now() - lastSignAt < ATTENDED_MS
