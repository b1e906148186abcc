/** Chooses a date and a time, in local time; values are in ISO format. */
import '../styles/time-field.css'
import { fromAbsolute, getLocalTimeZone, type ZonedDateTime } from '@internationalized/date'
import { CalendarDays } from 'lucide-react'
import { useState } from 'react'
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DatePicker,
  DateSegment,
  Dialog,
  FieldError,
  Group,
  Label,
  Popover,
} from 'react-aria-components'
import { CalendarHead } from './calendar-head.tsx'
import { portalOf } from './select.tsx'

type TimeFieldProps = Readonly<{
  label: string
  value: string | undefined
  min?: string
  required?: boolean
  problem?: string | undefined
  className?: string
  /** Undefined while the time is incomplete. */
  onChange: (value: string | undefined) => void
}>

export function TimeField({ label, value, min, required, problem, className = '', onChange }: TimeFieldProps) {
  const [root, setRoot] = useState<HTMLDivElement | null>(null)
  return (
    <DatePicker<ZonedDateTime>
      ref={setRoot}
      className={`field time-field ${className}`}
      granularity="minute"
      hideTimeZone
      shouldForceLeadingZeros
      value={toZoned(value)}
      minValue={toZoned(min)}
      isRequired={required === true}
      isInvalid={problem !== undefined}
      onChange={(chosen) => onChange(chosen?.toDate().toISOString())}
    >
      <Label>{label}</Label>
      <Group className="time-group">
        <DateInput className="time-input">{(segment) => <DateSegment segment={segment} />}</DateInput>
        <Button className="time-button">
          <CalendarDays aria-hidden="true" />
        </Button>
      </Group>
      <FieldError className="problem">{problem}</FieldError>
      <Popover className="popover calendar-popover" offset={4} {...portalOf(root)}>
        <Dialog>
          <Month />
        </Dialog>
      </Popover>
    </DatePicker>
  )
}

const Month = () => (
  <Calendar className="calendar">
    <CalendarHead />
    <CalendarGrid>{(date) => <CalendarCell date={date} />}</CalendarGrid>
  </Calendar>
)

/** Null for a missing or malformed time. */
function toZoned(at: string | undefined): ZonedDateTime | null {
  const time = Date.parse(at ?? '')
  return Number.isNaN(time) ? null : fromAbsolute(time, getLocalTimeZone())
}
