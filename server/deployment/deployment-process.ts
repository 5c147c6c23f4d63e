import "@atelier/engine/main";
