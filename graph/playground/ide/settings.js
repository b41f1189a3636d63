// The settings that the IDE stores in this browser, or for the session only.
export const forBrowser = keep(() => localStorage);
export const forSession = keep(() => sessionStorage);

// keep returns the settings of a storage. If the browser forbids the storage, they are empty.
function keep(storage) {
  return {
    get(name) {
      try {
        return storage().getItem(`twibase:${name}`) ?? '';
      } catch {
        return '';
      }
    },
    set(name, value) {
      try {
        if (value) storage().setItem(`twibase:${name}`, value);
        else storage().removeItem(`twibase:${name}`);
      } catch {
        // The value is lost on a reload.
      }
    },
  };
}
