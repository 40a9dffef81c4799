/**
 * Bounds that keep a hostile message cheap. What is beyond one is shown as it was typed, never dropped.
 */

/** Levels of quotes, lists and spoilers inside one another; a list and its item are two. */
export const MAX_BLOCK_DEPTH = 16
/** Emphasis, links and the like inside one another; marks beyond it only lose their effect. */
export const MAX_INLINE_DEPTH = 24
/** Previews of files per message, as clients of the API expect. */
export const MAX_PREVIEWS = 24
/** Length of one formula, in UTF-16 units. */
export const MAX_FORMULA_LENGTH = 2000
/** A formula that defines macros can multiply itself, so it must be short. */
export const MAX_MACRO_FORMULA_LENGTH = 300
/** Macro expansions per formula. */
export const MAX_MACRO_EXPANSIONS = 100
/** Open braces in one formula. */
export const MAX_FORMULA_DEPTH = 24
/** Formulas per message, and the size of what they become, in UTF-16 units of HTML. */
export const MAX_FORMULAS = 200
export const MAX_MATH_HTML = 400_000
/** Lengths in a formula, in em, in either direction: a formula must not be drawn over its surroundings. */
export const MAX_MATH_LENGTH_EM = 80
/** Characters of code per message that are coloured. */
export const MAX_HIGHLIGHTED = 10_000
/** Columns of a table. */
export const MAX_TABLE_COLUMNS = 100
