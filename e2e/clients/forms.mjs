/** The messages of a payload's userErrors by the name of the form's input: "content", "photoUrls.1", or "" for none. */
export function formErrors(userErrors) {
  return Object.fromEntries(userErrors.map(({ path, message }) => [path?.join('.') ?? '', message]));
}
