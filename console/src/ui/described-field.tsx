/** A labelled input with an explanation below, which is no part of its name. */
import { type ReactNode, useId } from 'react'
import { Field } from './parts.tsx'

type DescribedProps = Readonly<{
  label: string
  about?: string | undefined
  problem?: string | undefined
  className?: string
  /** Gets the id for `aria-describedby`. */
  children: (describedBy: string | undefined) => ReactNode
}>

export function DescribedField({ label, about, problem, className = '', children }: DescribedProps) {
  const id = useId()
  return (
    <div className={`field ${className}`}>
      <Field label={label} problem={problem}>
        {children(about === undefined ? undefined : id)}
      </Field>
      {about !== undefined && (
        <span id={id} className="field-about">
          {about}
        </span>
      )}
    </div>
  )
}
