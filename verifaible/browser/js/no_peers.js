// Runs before the scripts of a page in a browser that we did not start: a peer connection sends datagrams
// past every proxy, and only an argument at its start would keep the browser from doing so.
() => {
  delete globalThis.RTCPeerConnection;
  delete globalThis.webkitRTCPeerConnection;
}
