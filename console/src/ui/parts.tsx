/** Small components that every page uses; styled in styles/parts.css. */
import { type ComponentPropsWithRef, Fragment, type PropsWithChildren, type ReactNode } from 'react'
import { detailsOf, toErrorText } from '../api/client.ts'
import { COMMON_TEXTS } from '../texts/common.ts'
import { toStateText } from './state-text.ts'
import { useTitle } from './title.ts'

type PageProps = Readonly<{ title: string; about?: string; actions?: ReactNode }>

/** The header of a page: title, description and actions. */
export function PageHead({ title, about, actions }: PageProps) {
  useTitle(title)
  return (
    <header className="page-head">
      <h1>{title}</h1>
      {actions !== undefined && <div className="page-actions">{actions}</div>}
      {about !== undefined && <p className="page-about">{about}</p>}
    </header>
  )
}

type ButtonProps = ComponentPropsWithRef<'button'> &
  Readonly<{ kind?: 'primary' | 'danger' | 'plain' | 'danger primary' }>

export function Button({ kind, className = '', type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={`button ${kind ?? ''} ${className}`} {...rest} />
}

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'sent' | 'quiet'

export const Badge = ({ tone, children }: PropsWithChildren<{ tone: Tone }>) => (
  <span className={`badge ${tone}`}>{children}</span>
)

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  queued: 'quiet',
  sending: 'info',
  sent: 'sent',
  delivered: 'good',
  failed: 'bad',
  expired: 'warn',
}

/** The status of a message. */
export const Status = ({ status }: Readonly<{ status: string }>) => (
  <Badge tone={STATUS_TONES[status] ?? 'quiet'}>{toStateText(status)}</Badge>
)

type CardProps = PropsWithChildren<{ title?: ReactNode; className?: string }>

export const Card = ({ title, className = '', children }: CardProps) => (
  <section className={`card ${className}`}>
    {title !== undefined && <h2>{title}</h2>}
    {children}
  </section>
)

type FieldProps = PropsWithChildren<{ label: string; problem?: string | undefined; className?: string }>

/** A labelled input, with its error below. */
export const Field = ({ label, problem, className = '', children }: FieldProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
  <label className={`field ${className}`}>
    <span>{label}</span>
    {children}
    {problem !== undefined && <span className="problem">{problem}</span>}
  </label>
)

export const Empty = ({ children }: PropsWithChildren) => <div className="empty">{children}</div>

export const Loading = () => (
  <div className="empty" role="status">
    {COMMON_TEXTS.loading}
  </div>
)

/** An error, with the field-level errors of the API. */
export function Failure({ error }: Readonly<{ error: unknown }>) {
  const details = detailsOf(error)
  return (
    <div className="note bad" role="alert">
      {toErrorText(error)}
      {details.length > 1 && (
        <ul>
          {details.map(({ path, message }) => (
            <li key={path}>
              {path} {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

type Fact = readonly [name: string, value: ReactNode]

/** A list of names and values. Omits those without a value. */
export const Facts = ({ facts }: Readonly<{ facts: readonly Fact[] }>) => (
  <dl className="facts">
    {facts
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
)
