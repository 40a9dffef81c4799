/** RFC 5321's bound of a whole address. */
const maxLength = 254
/** What the HTML standard takes for an address in `<input type=email>`: the forms that mail really uses. */
const form =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/

/** Whether mail could go there, by the looks of it. */
export const isEmailAddress = (text: string): boolean => text.length <= maxLength && form.test(text)
