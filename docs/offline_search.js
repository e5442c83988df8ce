// The site's search on pages opened from disk. Browsers start no workers there, so the worker's script runs in a frame.
"use strict";
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      const add = source => new Promise((done, failed) => {
        const script = inner.document.createElement("script");
        script.onload = done;
        script.onerror = failed;
        script.src = new URL(source, document.baseURI);
        inner.document.body.append(script);
      });
      inner.importScripts = (...sources) => sources.reduce((before, source) => before.then(() => add(source)), Promise.resolve());
      inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }));
      this.inner = inner;
      this.loaded = add(url);
    }
    postMessage(data) { this.loaded.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data }))); }
    terminate() {}
  };
}
