/** What a person last chose on this device, such as whether a section is open. */
import { useState } from 'react'

/** Where storage is forbidden, the choice lasts as long as the page. */
export function useRemembered(key: string, otherwise: boolean): readonly [boolean, (value: boolean) => void] {
  const [value, setValue] = useState(() => read(key) ?? otherwise)
  return [
    value,
    (next) => {
      setValue(next)
      write(key, next)
    },
  ]
}

function read(key: string): boolean | undefined {
  try {
    const stored = localStorage.getItem(key)
    return stored === null ? undefined : stored === 'true'
  } catch {
    return undefined
  }
}

function write(key: string, value: boolean): void {
  try {
    localStorage.setItem(key, String(value))
  } catch {
    // Only remembered on this page then.
  }
}
