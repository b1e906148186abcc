/** How this browser displays the list of messages. */
import { openDisplay } from '../../ui/display.ts'

export const useMessagesDisplay = openDisplay('messages')
