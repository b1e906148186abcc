/** Asks before somebody leaves the page by a link, by closing the tab or by loading it again. */
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { Confirm } from '../../ui/confirm.tsx'

const T = BULK_TEXTS.run.leave

export function LeaveGuard({ onLeave }: Readonly<{ onLeave: () => void }>) {
  const [target, setTarget] = useState<string>()
  const [, go] = useLocation()
  useEffect(() => {
    const onClick = (event: MouseEvent): void => {
      const path = consolePathOf(event)
      if (path === undefined) return
      event.preventDefault()
      event.stopPropagation()
      setTarget(path)
    }
    const onUnload = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('click', onClick, { capture: true })
    addEventListener('beforeunload', onUnload)
    return () => {
      removeEventListener('click', onClick, { capture: true })
      removeEventListener('beforeunload', onUnload)
    }
  }, [])
  if (target === undefined) return null
  const leave = (): void => {
    onLeave()
    go(target)
  }
  return (
    <Confirm title={T.title} action={T.action} onConfirm={leave} onClose={() => setTarget(undefined)}>
      <p>{T.about}</p>
    </Confirm>
  )
}

const BASE = '/console'

/** Where a click on a link of the console leads; undefined if it opens elsewhere. */
function consolePathOf(event: MouseEvent): string | undefined {
  const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!isPlain || link === null || link.target === '_blank' || link.origin !== location.origin) return undefined
  if (!link.pathname.startsWith(`${BASE}/`) || link.pathname === location.pathname) return undefined
  return link.pathname.slice(BASE.length) + link.search
}
