import { html } from './html.ts'

/**
 * The Enter key in a field presses the first button of a form that is not disabled. Put before buttons that decide, this one
 * takes it, and sends no decision.
 */
export const IGNORE_ENTER = html`<button class="hidden" type="submit" name="decision" value="" tabindex="-1" aria-hidden="true"></button>`
