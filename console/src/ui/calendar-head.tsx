/** The head of a calendar: its month, and the way to others. */
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { Button, Heading } from 'react-aria-components'

export const CalendarHead = () => (
  <header>
    <Button slot="previous" className="button plain icon-only">
      <ChevronLeft aria-hidden="true" />
    </Button>
    <Heading />
    <Button slot="next" className="button plain icon-only">
      <ChevronRight aria-hidden="true" />
    </Button>
  </header>
)
