/** Code that is loaded when it is first needed, or a moment before. */
import type { ComponentType } from 'react'
import { makeStore, useStore } from '../store.ts'
import { COMMON_TEXTS } from '../texts/common.ts'
import { showToast } from './toast.tsx'

export type OnDemand<Props> = Readonly<{
  /** Loads the code ahead of its use. */
  prepare: () => void
  /** Loads the code and reports it if that fails. Resolves to whether it is there. */
  load: () => Promise<boolean>
  /** Undefined until loaded. */
  useCode: () => ComponentType<Props> | undefined
}>

export function onDemand<Props>(load: () => Promise<ComponentType<Props>>): OnDemand<Props> {
  const code = makeStore<ComponentType<Props> | undefined>(undefined)
  let loading: Promise<boolean> | undefined
  const attempt = (): Promise<boolean> => {
    loading ??= load().then(
      (loaded) => {
        code.set(loaded)
        return true
      },
      () => {
        // The next use tries again.
        loading = undefined
        return false
      },
    )
    return loading
  }
  return {
    prepare: () => void attempt(),
    load: async () => {
      const isLoaded = await attempt()
      if (!isLoaded) showToast(COMMON_TEXTS.codeNotLoaded, 'bad')
      return isLoaded
    },
    useCode: () => useStore(code),
  }
}
