/** Chooses the first and the last day of a period; values such as `2030-01-31`. */
import '../styles/time-field.css'
import { parseDate } from '@internationalized/date'
import { CalendarDays } from 'lucide-react'
import {
  Button,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DateRangePicker,
  DateSegment,
  Dialog,
  Group,
  Label,
  Popover,
  RangeCalendar,
} from 'react-aria-components'
import { CalendarHead } from './calendar-head.tsx'

type Period = Readonly<{ from: string; to: string }>
type PickerProps = Readonly<{ label: string; value: Period; max?: string; onChange: (value: Period) => void }>

export const PeriodPicker = ({ label, value, max, onChange }: PickerProps) => (
  <DateRangePicker
    className="field time-field period-picker"
    value={{ start: parseDate(value.from), end: parseDate(value.to) }}
    {...(max === undefined ? {} : { maxValue: parseDate(max) })}
    shouldForceLeadingZeros
    onChange={(chosen) => {
      if (chosen !== null) onChange({ from: chosen.start.toString(), to: chosen.end.toString() })
    }}
  >
    <Label>{label}</Label>
    <Group className="time-group">
      <DateInput slot="start" className="time-input">
        {(segment) => <DateSegment segment={segment} />}
      </DateInput>
      <span aria-hidden="true">–</span>
      <DateInput slot="end" className="time-input">
        {(segment) => <DateSegment segment={segment} />}
      </DateInput>
      <Button className="time-button">
        <CalendarDays aria-hidden="true" />
      </Button>
    </Group>
    <Popover className="popover calendar-popover" offset={4}>
      <Dialog>
        <RangeCalendar className="calendar">
          <CalendarHead />
          <CalendarGrid>{(date) => <CalendarCell date={date} />}</CalendarGrid>
        </RangeCalendar>
      </Dialog>
    </Popover>
  </DateRangePicker>
)
